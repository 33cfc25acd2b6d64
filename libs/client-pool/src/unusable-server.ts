import type { CodeExecutorError, FailedServer } from '@code-executor/contracts';

import { ConnectFailure } from './connection/connect-failure.js';
import type { ServerStats } from './options.js';
import type { UnknownTools } from './catalog/server-tools.js';

/** A server whose configuration cannot be used: it is named with the reason, and never started. */
export class UnusableServer {
  readonly name: string;
  readonly #failure: ConnectFailure;

  constructor({ server, reason, fix }: FailedServer) {
    this.name = server;
    this.#failure = new ConnectFailure(server, reason, fix);
  }

  get stats(): ServerStats {
    const reason = this.#failure.message;
    return {
      name: this.name,
      state: 'failed',
      reason,
      circuit: 'closed',
      failuresInRow: 0,
      circuitFailures: 0,
    };
  }

  describe(failure: ConnectFailure): FailedServer {
    return failure.toFailedServer();
  }

  toolsOfNow(): Promise<UnknownTools> {
    return this.tools();
  }

  tools(): Promise<UnknownTools> {
    return Promise.resolve({ tools: undefined, failure: this.#failure });
  }

  /** The error of a call to one of its tools. It names no time to try again, because waiting does not help. */
  failedCall(tool: string): CodeExecutorError {
    return this.#failure.toCallError(tool);
  }
}
