import { CodeExecutorError, type FailedServer } from '@code-executor/contracts';

/** Why a server cannot be used, and what its owner can do about it. Its message is the reason. */
export class ConnectFailure extends CodeExecutorError {
  declare readonly server: string;
  readonly fix: string;

  constructor(server: string, reason: string, fix: string, cause?: unknown) {
    super('unavailable', reason, { server, cause });
    this.fix = fix;
  }

  toFailedServer(): FailedServer {
    return { server: this.server, reason: this.message, fix: this.fix };
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
