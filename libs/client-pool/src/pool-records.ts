import {
  type CallerEvent,
  type CallOptions,
  type EventMarks,
  type LoginEvent,
  parseTraceparent,
  silentLogger,
} from '@code-executor/contracts';

import type { QueuedCall, Refusal } from './calls/call-queue.js';
import type { CircuitAction } from './calls/circuit.js';
import type { ClientPoolOptions } from './options.js';

const circuitStatus = { opened: 'failure', half_open: 'success', closed: 'success' } as const;

/** Records what a pool decides about calls. A sink that fails breaks no call; its error goes to the log. */
export class PoolRecords {
  readonly #options: Pick<ClientPoolOptions, 'audit' | 'logger'>;

  constructor(options: Pick<ClientPoolOptions, 'audit' | 'logger'>) {
    this.#options = options;
  }

  /** The queue has refused a call, perhaps after a wait. */
  refused(action: Refusal, { tool, options }: QueuedCall, waitedMs: number | undefined): void {
    const queued = waitedMs === undefined ? {} : { queuedMs: waitedMs };
    const about = { toolName: tool.name, server: tool.server };
    this.#record({ type: 'queue', action, status: 'rejected', ...about, ...queued, ...marksOf(options) });
  }

  /** The circuit of a server has changed, by this call or by time alone. */
  circuitChanged(server: string, action: CircuitAction, by: CallOptions | undefined): void {
    this.#record({ type: 'circuit', action, server, status: circuitStatus[action], ...marksOf(by) });
  }

  /** The login at a server was needed, made, renewed, or could not be. */
  login(server: string, action: LoginEvent['action']): void {
    const status = action === 'needed' || action === 'failed' ? 'failure' : 'success';
    this.#record({ type: 'login', action, server, status, ...marksOf() });
  }

  #record(event: CallerEvent | LoginEvent): void {
    const { audit, logger = silentLogger } = this.#options;
    const onError = (error: unknown) => logger.error({ err: error }, 'audit sink failed');
    try {
      void Promise.resolve(audit?.(event)).catch(onError);
    } catch (error) {
      onError(error);
    }
  }
}

/** The time, and whose call it is, as records name them. */
function marksOf({ executionId, caller, traceparent }: CallOptions = {}): EventMarks {
  const trace = parseTraceparent(traceparent);
  return {
    timestamp: new Date().toISOString(),
    ...(executionId !== undefined && { executionId }),
    ...(caller && { clientId: caller.id, clientKind: caller.kind }),
    ...(trace && { correlationId: trace.traceId }),
  };
}
