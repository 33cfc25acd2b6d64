import type { ClientId, HttpArena } from '../arena/http-arena.js';
import { type RawCall, rawCall, statusOf } from './raw-call.js';

/** A message that every client may send. */
export const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
export const revision = '2026-07-28';

const accept = 'Accept: application/json, text/event-stream';
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** The status of a message to `/mcp` that is sent byte for byte; each part that is given replaces the correct one. */
export async function statusOfMcp(arena: HttpArena, call: RawCall): Promise<number> {
  const { target = 'POST /mcp HTTP/1.1', body = ping, headers = [] } = call;
  return statusOf(
    await arena.exchange(rawCall(arena, { ...call, target, body, headers: [accept, ...headers] })),
  );
}

/** Sends a message like an ordinary client. */
export function sendMcp(
  arena: HttpArena,
  body: object | string | Uint8Array<ArrayBuffer>,
  { client = 'constructor', headers = {} }: { client?: ClientId; headers?: Record<string, string> } = {},
) {
  const isText = typeof body === 'string' || body instanceof Uint8Array;
  const content = isText ? body : JSON.stringify({ jsonrpc: '2.0', id: 1, ...body });
  return arena.ask('/mcp', arena.tokens[client], {
    method: 'POST',
    body: content,
    headers: { ...json, ...headers },
  });
}

/** Begins a session; its id. */
export async function beginSession(arena: HttpArena, client: ClientId): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '0' } };
  const { headers } = await sendMcp(arena, { method: 'initialize', params }, { client });
  return headers.get('mcp-session-id') ?? '';
}

/** A request of 2026-07-28. */
export function sendModern(
  arena: HttpArena,
  {
    method,
    params = {},
    client = 'constructor',
    headers = {},
  }: {
    method: string;
    params?: Record<string, unknown>;
    client?: ClientId;
    headers?: Record<string, string>;
  },
) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'x', version: '0' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...(params['_meta'] as object | undefined),
  };
  const named = params['name'] ?? params['taskId'];
  const own = {
    'mcp-protocol-version': revision,
    'mcp-method': method,
    ...(typeof named === 'string' && { 'mcp-name': named }),
  };
  return sendMcp(
    arena,
    { method, params: { ...params, _meta: meta } },
    { client, headers: { ...own, ...headers } },
  );
}
