import type { ExecutionRequest, ExecutionResult, Language, Sandbox, SandboxStatus } from '../sandbox.js';

/** Runs in place of the code, and returns the part of the result that matters to the test. */
export type FakeProgram = (
  request: ExecutionRequest,
) => Partial<ExecutionResult> | Promise<Partial<ExecutionResult>>;

export interface FakeSandboxOptions {
  /** Default: `typescript`. */
  language?: Language;
  /** What `status()` returns beside the language. Default: isolation is `portable`. */
  status?: Omit<SandboxStatus, 'language'>;
}

/**
 * A `Sandbox` in memory that runs a function, whatever the code says, and records its requests. The function gets
 * the tools, the signal and `onOutput` of the request. The rest of its result is that of a program that succeeded
 * without a value.
 */
export function fakeSandbox(
  program: FakeProgram = () => ({}),
  { language = 'typescript', status = { isolation: 'portable' } }: FakeSandboxOptions = {},
): Sandbox & { readonly requests: ExecutionRequest[]; readonly isClosed: boolean } {
  const requests: ExecutionRequest[] = [];
  let isClosed = false;
  return {
    language,
    requests,
    get isClosed() {
      return isClosed;
    },
    async execute(request) {
      requests.push(request);
      const answered = await program(request);
      const whole = {
        stdout: '',
        stderr: '',
        durationMs: 1,
        truncated: false,
        isolation: 'portable',
      } as const;
      return { status: 'succeeded', ...whole, ...answered };
    },
    status: () => Promise.resolve({ language, ...status }),
    close() {
      isClosed = true;
      return Promise.resolve();
    },
  };
}
