/** Why the host could not or would not do something. The words are gRPC's. */
export type ErrorCode =
  /** Arguments do not match the tool's schema, or a parameter is out of range. */
  | 'invalid_argument'
  /** Missing or wrong token. */
  | 'unauthenticated'
  /** The tool is not in the allowlist, or a path or host is outside what was granted. */
  | 'permission_denied'
  /** Unknown tool, session, script or execution. */
  | 'not_found'
  /** Something the operation needs is missing: Deno, an isolation mode, a package. */
  | 'failed_precondition'
  /** A budget is used up. */
  | 'resource_exhausted'
  /** The upstream server or a queue cannot take it now; `retryAfterMs` says when to try again. */
  | 'unavailable'
  /** A host operation ran out of time. */
  | 'deadline_exceeded'
  /** The caller's signal fired. */
  | 'cancelled'
  /** Everything else. The message holds no secret; the cause goes to the log. */
  | 'internal';

export interface CodeExecutorErrorOptions {
  /** Milliseconds after which the same request may succeed. */
  retryAfterMs?: number;
  /** The upstream tool concerned. */
  tool?: string;
  /** The upstream server concerned. */
  server?: string;
  /** For the log; never shown to callers. */
  cause?: unknown;
}

const brand = Symbol.for('@code-executor/error');

/** The one error class. Decide by `code`, never by the message. */
export class CodeExecutorError extends Error {
  readonly code: ErrorCode;
  readonly retryAfterMs?: number;
  readonly tool?: string;
  readonly server?: string;

  constructor(code: ErrorCode, message: string, options: CodeExecutorErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'CodeExecutorError';
    this.code = code;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    if (options.tool !== undefined) this.tool = options.tool;
    if (options.server !== undefined) this.server = options.server;
    // A brand, so that `is()` works across two installed copies of this package.
    Object.defineProperty(this, brand, { value: true });
  }

  /** True for errors of this class, also of another installed copy of it. */
  static is(reason: unknown): reason is CodeExecutorError {
    return typeof reason === 'object' && reason !== null && brand in reason;
  }

  /**
   * Any thrown value as a `CodeExecutorError`: an abort becomes `cancelled`, a timeout
   * `deadline_exceeded`, everything unknown `internal` with a neutral message and the reason as cause.
   */
  static from(reason: unknown): CodeExecutorError {
    if (CodeExecutorError.is(reason)) return reason;
    // Not `instanceof Error`: abort reasons may come from another realm.
    const name = typeof reason === 'object' && reason !== null && 'name' in reason ? reason.name : undefined;
    if (name === 'AbortError') {
      return new CodeExecutorError('cancelled', 'The caller cancelled the operation.', { cause: reason });
    }
    if (name === 'TimeoutError') {
      return new CodeExecutorError('deadline_exceeded', 'The operation ran out of time.', { cause: reason });
    }
    return new CodeExecutorError('internal', 'An internal error occurred; see the log.', { cause: reason });
  }
}
