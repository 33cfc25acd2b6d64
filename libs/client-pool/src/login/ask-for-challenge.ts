import { setTimeout as delay } from 'node:timers/promises';

import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client';

import type { HttpServer } from '../options.js';

/** An event stream that is open to everybody has no end. */
const waitMs = 10_000;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How a server answers somebody who is not logged in. */
export interface Challenge {
  /** It did not refuse. */
  isOpen: boolean;
  scope?: string | undefined;
  resourceMetadataUrl?: URL | undefined;
}

/** Begins as each era of MCP does without a login, and asks for the tools: some servers refuse only that. */
export async function askForChallenge(server: HttpServer, fetchFn: Fetch): Promise<Challenge> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'code-executor', version: '1' },
  };
  const opened = await ask(server, fetchFn, { id: 0, method: 'initialize', params });
  if (!opened || opened.status === 401 || server.type === 'sse') return toChallenge(opened);
  if (!opened.ok) return toChallenge((await askInModernEra(server, fetchFn)) ?? opened);
  const session = opened.headers.get('mcp-session-id');
  const more = { ...(session !== null && { 'mcp-session-id': session }) };
  const listed = await ask(server, fetchFn, { id: 1, method: 'tools/list' }, more);
  return toChallenge(listed?.status === 401 ? listed : opened);
}

/** The answer of a server that does not know sessions; undefined if it is of no more use than the first one. */
async function askInModernEra(server: HttpServer, fetchFn: Fetch): Promise<Response | undefined> {
  const version = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'code-executor', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const more = { 'mcp-protocol-version': version, 'mcp-method': 'tools/list' };
  const listed = await ask(server, fetchFn, { id: 1, method: 'tools/list', params: { _meta } }, more);
  return listed?.ok || listed?.status === 401 ? listed : undefined;
}

function toChallenge(response: Response | undefined): Challenge {
  return response ? { isOpen: response.ok, ...extractWWWAuthenticateParams(response) } : { isOpen: true };
}

async function ask(
  server: HttpServer,
  fetchFn: Fetch,
  request: object,
  more: Record<string, string> = {},
): Promise<Response | undefined> {
  const stop = new AbortController();
  const isStream = server.type === 'sse';
  const accept = isStream ? 'text/event-stream' : 'application/json, text/event-stream';
  const init: RequestInit = {
    ...(isStream
      ? { method: 'GET' }
      : { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', ...request }) }),
    headers: { ...server.headers, accept, 'content-type': 'application/json', ...more },
    redirect: 'manual',
    signal: stop.signal,
  };
  // An old connection may have ended meanwhile; a second attempt gets a new one.
  const answer = fetchFn(server.url, init).catch(() => fetchFn(server.url, init));
  answer.catch(() => undefined);
  const response = await Promise.race([answer, delay(waitMs, undefined, { ref: false })]);
  stop.abort();
  return response;
}
