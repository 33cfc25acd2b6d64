import type { ToolResult } from './tool.js';

/** Makes a call, or the rest of its way. */
export type NextStep<Call> = (call: Call) => Promise<ToolResult>;

/**
 * One named step around a call, as an interceptor: it calls `next` to go on, perhaps later or more than once, and
 * rejects or throws to refuse the call. A step that decides at once throws and returns what `next` returns, because
 * each `await` costs every call.
 */
export interface CallStep<Call> {
  /** As docs/architecture.md lists it under "Around a call". */
  readonly name: string;
  readonly around: (call: Call, next: NextStep<Call>) => Promise<ToolResult>;
}

/** The steps around the call itself as one function. The first step is the outermost. */
export function throughSteps<Call>(steps: readonly CallStep<Call>[], call: NextStep<Call>): NextStep<Call> {
  return steps.reduceRight<NextStep<Call>>(
    (next, { around }) =>
      (each) =>
        around(each, next),
    call,
  );
}
