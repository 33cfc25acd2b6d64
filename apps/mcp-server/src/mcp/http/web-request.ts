import type { HttpRequest } from '@code-executor/http-server';

/** The headers that the protocol reads. The SDK gets no others: not even the token. */
const protocolHeader = /^(?:accept|content-type|last-event-id|mcp-[\w-]+)$/;

/** The request as the SDK takes it, without the body, which has been parsed already. */
export function toWebRequest({ method, headers, signal }: HttpRequest, until = signal): Request {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && protocolHeader.test(name) ? [[name, value] as [string, string]] : [],
  );
  return new Request('http://code-executor/mcp', { method, headers: kept, signal: until });
}
