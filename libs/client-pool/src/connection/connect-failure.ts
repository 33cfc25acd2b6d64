import { CodeExecutorError, type FailedServer } from '@code-executor/contracts';

/** Why a server cannot be used, and what its owner can do about it. Its message is the reason. */
export class ConnectFailure extends CodeExecutorError {
  declare readonly server: string;
  readonly fix: string;

  constructor(server: string, reason: string, fix: string, cause?: unknown) {
    super('unavailable', reason, { server, cause });
    this.fix = fix;
  }

  /** `retryAfterMs` is 0 if the next use tries it again, or if waiting does not help. */
  toFailedServer(retryAfterMs = 0): FailedServer {
    return {
      server: this.server,
      reason: this.message,
      fix: this.fix,
      ...(retryAfterMs > 0 && { retryAfterMs }),
    };
  }

  /** The error of a call that needed the server. */
  toCallError(tool: string, retryAfterMs?: number): CodeExecutorError {
    const message = `Server ${this.server} is unavailable: ${this.message}. ${this.fix}`;
    return new CodeExecutorError('unavailable', message, {
      tool,
      server: this.server,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      cause: this,
    });
  }
}

/** Why a server cannot be used yet. */
export class StillStarting extends ConnectFailure {
  override toFailedServer(): FailedServer {
    return { ...super.toFailedServer(), isStarting: true };
  }
}
