import type { ErrorCode } from '@code-executor/contracts';

/** The only place that maps codes of errors to HTTP. */
const statuses: Readonly<Record<ErrorCode, number>> = {
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  failed_precondition: 400,
  resource_exhausted: 429,
  unavailable: 503,
  deadline_exceeded: 504,
  // There is no registered status for it; proxies use this one as "client closed request".
  cancelled: 499,
  internal: 500,
};

/** The nearest code for a status that a handler has chosen itself. */
export function codeOfStatus(status: number): ErrorCode {
  const codes = Object.keys(statuses) as ErrorCode[];
  const code = codes.find((each) => statuses[each] === status);
  return code ?? (status < 500 ? 'invalid_argument' : 'internal');
}

/** The HTTP status for a code. */
export function httpStatusOf(code: ErrorCode): number {
  return statuses[code];
}
