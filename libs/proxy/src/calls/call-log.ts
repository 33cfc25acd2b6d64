import { createHash } from 'node:crypto';

import type {
  AskEvent,
  AuditSink,
  Caller,
  CallerEvent,
  CodeExecutorError,
  EventMarks,
  HookEvent,
  JsonObject,
} from '@code-executor/contracts';

import { OpenCall } from './open-call.js';
import { RecordLimit } from './record-limit.js';
import type { ToolCall } from './tool-call.js';

/** Rejected calls cost a program nothing, so beyond this many they are still refused, but not remembered. */
const maxRejections = 10_000;

/** What is recorded of a call that somebody decided about. */
interface DecidedCall {
  name: string;
  args: JsonObject;
  tool: { server: string };
}

/**
 * Remembers the calls of one execution and records them: each call that was made, and of searches and refused calls,
 * which cost a program nothing, a limited number and how many more there were.
 */
export class CallLog {
  readonly calls: ToolCall[] = [];
  readonly #audit: AuditSink<CallerEvent> | undefined;
  readonly #ids: Omit<EventMarks, 'timestamp'>;
  readonly #open = new Set<OpenCall>();
  readonly #limit = new RecordLimit();
  #rejections = 0;

  constructor(audit: AuditSink<CallerEvent> | undefined, caller: Caller, executionId: string | undefined) {
    this.#audit = audit;
    this.#ids = {
      clientId: caller.id,
      clientKind: caller.kind,
      ...(executionId !== undefined && { executionId }),
    };
  }

  /** Tools were listed, or searched with a query. */
  found(query: string, server: string | undefined, count: number): void {
    const found = { type: 'discovery', status: 'success' } as const;
    if (!this.#limit.admits(found)) return;
    this.#record({
      ...found,
      action: query === '' ? 'listed' : 'searched',
      count,
      ...(query !== '' && { query }),
      ...(server !== undefined && { server }),
      ...this.#marks(),
    });
  }

  /** A person or a hook has decided about a call, which began to wait for that at `sinceMs`. */
  decided(
    decision: Pick<AskEvent, 'type' | 'action' | 'status'> | Pick<HookEvent, 'type' | 'action' | 'status'>,
    { name: toolName, args, tool: { server } }: DecidedCall,
    sinceMs: number,
  ): void {
    if (!this.#audit) return;
    const paramsHash = hashOf(args);
    this.#record({
      ...decision,
      toolName,
      server,
      ...(paramsHash !== undefined && { paramsHash }),
      durationMs: performance.now() - sinceMs,
      ...this.#marks(),
    });
  }

  /** Begins the record of a call that has not been checked yet. */
  open(name: unknown, args: unknown): OpenCall {
    const open: OpenCall = new OpenCall(name, {
      begun: (call) => this.calls.push(call),
      ended: (call) => {
        this.#open.delete(open);
        this.#tell(call, args);
      },
      rejected: (call) => {
        this.#open.delete(open);
        if (++this.#rejections <= maxRejections) this.calls.push(call);
        this.#tell(call, args);
      },
    });
    this.#open.add(open);
    return open;
  }

  /** Records how many searches and refused calls have no record of their own. */
  tellOmitted(): void {
    for (const omitted of this.#limit.takeOmitted()) this.#record({ ...omitted, ...this.#marks() });
  }

  /** Ends the calls that are not over, because their results are not wanted any more. */
  failOpen(why: () => CodeExecutorError): void {
    if (this.#open.size === 0) return;
    const error = why();
    for (const call of this.#open) call.fail(error);
  }

  #tell(call: ToolCall, args: unknown): void {
    const { toolName, server, status, errorCode, durationMs, queuedMs, resultBytes } = call;
    if (!this.#audit || status === 'running') return;
    const isDenied = status === 'rejected' && errorCode === 'permission_denied';
    const type = isDenied ? 'denial' : 'tool_call';
    if (status === 'rejected' && !this.#limit.admits({ type, status, ...(errorCode && { errorCode }) }))
      return;
    const paramsHash = hashOf(args);
    const made = {
      toolName,
      durationMs,
      ...(paramsHash !== undefined && { paramsHash }),
      ...(server !== undefined && { server }),
      ...this.#marks(),
    };
    this.#record(
      isDenied
        ? { type: 'denial', status, errorCode, ...made }
        : {
            type: 'tool_call',
            status,
            ...(errorCode !== undefined && { errorCode }),
            ...made,
            ...(queuedMs !== undefined && { queuedMs }),
            ...(resultBytes !== undefined && { resultBytes }),
          },
    );
  }

  #marks(): EventMarks {
    return { timestamp: new Date().toISOString(), ...this.#ids };
  }

  #record(event: CallerEvent): void {
    try {
      // Its owner reports an audit that fails; the call goes on.
      void Promise.resolve(this.#audit?.(event)).catch(() => undefined);
    } catch {
      // The same for a sink that throws at once.
    }
  }
}

/** Undefined for values that are not JSON; such arguments are refused. */
function hashOf(args: unknown): string | undefined {
  try {
    return createHash('sha256').update(JSON.stringify(args)).digest('hex');
  } catch {
    return undefined;
  }
}
