import { CodeExecutorError } from '@code-executor/contracts';

const retryAfterMs = 1000;

/** What is known about a failed request. */
interface Failure {
  /** The host that was asked last. */
  host: string;
  /** The caller's signal. */
  signal: AbortSignal | undefined;
  /** The signal of this library's own time limit. */
  timeout: AbortSignal;
  timeoutMs: number;
}

/** Any failure of a request as an error for the program. It names the host, never an address behind it. */
export function toFetchError(
  reason: unknown,
  { host, signal, timeout, timeoutMs }: Failure,
): CodeExecutorError {
  if (CodeExecutorError.is(reason)) return reason;
  if (signal?.aborted) {
    const error = CodeExecutorError.from(signal.reason);
    if (error.code !== 'internal') return error;
    return new CodeExecutorError('cancelled', 'The caller cancelled the request.', { cause: reason });
  }
  if (timeout.aborted) {
    const problem = `Host ${host} did not answer in full within ${timeoutMs / 1000} s; ask for less, or try again later.`;
    return new CodeExecutorError('deadline_exceeded', problem, { cause: reason });
  }
  const problem = `The request to host ${host} failed: ${describe(reason)}.`;
  return new CodeExecutorError('unavailable', problem, { retryAfterMs, cause: reason });
}

const descriptions = new Map([
  ['ENOTFOUND', 'the name does not resolve'],
  ['EAI_AGAIN', 'the name does not resolve now'],
  ['ECONNREFUSED', 'it refuses the connection'],
  ['ECONNRESET', 'it ended the connection'],
  ['UND_ERR_SOCKET', 'it ended the connection'],
  ['UND_ERR_CONNECT_TIMEOUT', 'it does not answer'],
  ['ABORT_ERR', 'it does not answer'],
  ['UND_ERR_HEADERS_OVERFLOW', 'its answer has too many headers'],
  ['UND_ERR_DESTROYED', 'the server is shutting down'],
  ['UND_ERR_CLOSED', 'the server is shutting down'],
  ['Z_DATA_ERROR', 'its answer is not encoded as it says'],
]);

/** Describes the error by its name and code alone, because messages of the network hold addresses. */
function describe(reason: unknown): string {
  const { name, code } = (typeof reason === 'object' && reason !== null ? reason : {}) as Record<
    string,
    unknown
  >;
  if (name === 'TimeoutError') return 'it does not answer';
  if (name === 'HTTPParserError') return 'its answer is not HTTP';
  if (typeof code !== 'string' || !/^[A-Z0-9_]{1,60}$/.test(code)) return 'the connection broke';
  return descriptions.get(code) ?? `the connection broke (${code})`;
}
