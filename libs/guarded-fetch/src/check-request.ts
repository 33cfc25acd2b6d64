import { CodeExecutorError, type HttpRequest } from '@code-executor/contracts';

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const maxBodyBytes = 1024 * 1024;
const maxHeaders = 100;
const maxHeaderChars = 16 * 1024;

/** Headers that belong to the connection, or that this library writes itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What goes out with each hop of a request. */
export interface OutgoingRequest {
  method: string;
  /** Lower-case names. */
  headers: [name: string, value: string][];
  body: Uint8Array | undefined;
}

/** Checks the parts of a request beside its URL, and drops headers of the connection; throws `invalid_argument`. */
export function checkRequest(request: HttpRequest): OutgoingRequest {
  const method = request.method.toUpperCase();
  if (!methods.has(method)) refuse(`the method must be one of ${[...methods].join(', ')}`);
  const body = request.body?.byteLength ? request.body : undefined;
  if (body && (method === 'GET' || method === 'HEAD')) refuse(`a ${method} request has no body`);
  if (body && body.byteLength > maxBodyBytes)
    refuse(`the body must not be larger than ${maxBodyBytes} bytes`);
  return { method, headers: checkHeaders(request.headers), body };
}

function checkHeaders(headers: HttpRequest['headers']): OutgoingRequest['headers'] {
  const chars = headers.reduce((total, [name, value]) => total + name.length + value.length, 0);
  if (headers.length > maxHeaders || chars > maxHeaderChars) {
    refuse(`there may be ${maxHeaders} headers of ${maxHeaderChars} characters together`);
  }
  const lower = headers.map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  for (const [name, value] of lower) {
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) refuse('a header has an illegal name');
    // Other characters could end the line, or would be cut to a byte.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      refuse(`the value of header ${name.slice(0, 100)} has an illegal character`);
  }
  const ofConnection = new Set(
    lower
      .filter(([name]) => name === 'connection')
      .flatMap(([, value]) => value.toLowerCase().split(/\s*,\s*/)),
  );
  const kept = lower.filter(
    ([name]) => !ownHeaders.has(name) && !name.startsWith('proxy-') && !ofConnection.has(name),
  );
  return withDefault(withDefault(kept, 'accept', '*/*'), 'user-agent', 'code-executor');
}

function withDefault(
  headers: OutgoingRequest['headers'],
  name: string,
  value: string,
): OutgoingRequest['headers'] {
  return headers.some(([given]) => given === name) ? headers : [...headers, [name, value]];
}

function refuse(problem: string): never {
  throw new CodeExecutorError('invalid_argument', `fetch cannot send this request: ${problem}.`);
}
