/** The body of every answer that is not a success. */
export interface ErrorBody {
  error: {
    /** A code of `CodeExecutorError`, or one that the route documents. */
    code: string;
    message: string;
    /** The upstream tool concerned. */
    tool?: string;
    /** The upstream server concerned. */
    server?: string;
    /** Milliseconds after which the same request may succeed; also in `Retry-After`, in seconds. */
    retryAfterMs?: number;
  };
}
