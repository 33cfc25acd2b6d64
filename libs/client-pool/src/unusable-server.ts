import type { CodeExecutorError, FailedServer, ToolSchema } from '@code-executor/contracts';

import { ConnectFailure } from './connect-failure.js';
import type { ServerStats } from './options.js';
import type { KnownTools } from './upstream-server.js';

const noTools: ReadonlyMap<string, ToolSchema> = new Map();

/** A server that is configured and cannot be used as it is: it is named with the reason, and never started. */
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

  tools(): Promise<KnownTools> {
    return Promise.resolve({ tools: noTools, failure: this.#failure });
  }

  /** The error of a call to one of its tools. Time mends nothing, so it names no time to try again. */
  failedCall(tool: string): CodeExecutorError {
    return this.#failure.toCallError(tool);
  }
}
