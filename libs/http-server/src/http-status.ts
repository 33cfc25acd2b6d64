import type { ErrorCode } from '@code-executor/contracts';

/** The one place where the words of errors become HTTP. */
const statuses: Readonly<Record<ErrorCode, number>> = {
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  failed_precondition: 400,
  resource_exhausted: 429,
  unavailable: 503,
  deadline_exceeded: 504,
  // No registered status says it; proxies know this one as "client closed request".
  cancelled: 499,
  internal: 500,
};

/** The HTTP status for a code. */
export function httpStatusOf(code: ErrorCode): number {
  return statuses[code];
}
