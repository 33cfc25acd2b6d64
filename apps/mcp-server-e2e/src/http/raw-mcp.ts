import type { StartedHttpServer } from '../server-under-test/started-http-server.js';

type Server = Pick<StartedHttpServer, 'url'>;

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
export const latestLegacy = '2025-11-25';
export const modern = '2026-07-28';

/** A message to `/mcp`, without any SDK. */
export function post(
  { url }: Server,
  token: string,
  body: object,
  headers: Record<string, string> = {},
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    ...init,
    headers: { ...json, authorization: `Bearer ${token}`, ...headers },
  });
}

/** Begins a session; returns the headers that name it. */
export async function begin(
  server: Server,
  token: string,
  capabilities: object = {},
): Promise<Record<string, string>> {
  const params = {
    protocolVersion: latestLegacy,
    capabilities,
    clientInfo: { name: 'raw', version: '0' },
  };
  const answer = await post(server, token, { id: 0, method: 'initialize', params });
  await answer.text();
  const session = {
    'mcp-session-id': answer.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': latestLegacy,
  };
  await (await post(server, token, { method: 'notifications/initialized' }, session)).text();
  return session;
}

/** A request of 2026-07-28, which says itself who sends it. */
export function postModern(
  server: Server,
  token: string,
  {
    method,
    params = {},
    id = 1,
    capabilities = {},
  }: { method: string; params?: Record<string, unknown>; id?: number; capabilities?: object },
  init: RequestInit = {},
): Promise<Response> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': modern,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const name = params['name'];
  const headers = {
    'mcp-protocol-version': modern,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  };
  return post(server, token, { id, method, params: { ...params, _meta: meta } }, headers, init);
}

/** The stream that a client listens on, or takes up again after `lastEventId`. */
export function listen(
  { url }: Server,
  token: string,
  session: Record<string, string>,
  lastEventId?: string,
): Promise<Response> {
  const last = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}`, ...session, ...last };
  return fetch(`${url}/mcp`, { headers });
}

export interface SentEvent {
  id?: string;
  data: string;
}

/** The events of a stream, as they come. */
export async function* eventsOf(answer: Response): AsyncGenerator<SentEvent> {
  let text = '';
  for await (const bytes of answer.body ?? []) {
    text += Buffer.from(bytes as Uint8Array).toString();
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const id = /^id: (.*)$/m.exec(block)?.[1];
      yield { ...(id !== undefined && { id }), data: /^data: (.*)$/m.exec(block)?.[1] ?? '' };
    }
  }
}

/** The result of a call, whether it came as a stream or not. */
export async function resultOf(answer: Response): Promise<Record<string, unknown>> {
  const text = await answer.text();
  const lines = answer.headers.get('content-type')?.includes('event-stream')
    ? text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []))
    : [text];
  const last = JSON.parse(lines.at(-1) ?? '{}') as { result?: Record<string, unknown> };
  return last.result ?? {};
}
