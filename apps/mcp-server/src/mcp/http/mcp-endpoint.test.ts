import { newTraceParent, silentLogger } from '@code-executor/contracts';
import type { HttpRequest } from '@code-executor/http-server';
import { Server } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { McpEndpoint } from './mcp-endpoint.js';

let endpoint: McpEndpoint;
beforeEach(() => {
  endpoint = new McpEndpoint({
    createServer: () => new Server({ name: 'test', version: '0' }, { capabilities: {} }),
    callerOf: () => ({ id: 'ada', kind: 'http' }),
    record: () => undefined,
    logger: silentLogger,
  });
});
afterEach(() => endpoint.close());

test.each([
  ['the beginning of a session', {}],
  ['a request of 2026-07-28', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }],
])('the id of %s has at most 256 characters', async (_what, more) => {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'x', version: '0' },
    ...more,
  };
  const ask = (id: string) => endpoint.answer(post({ jsonrpc: '2.0', id, method: 'initialize', params }));
  await expect(ask('x'.repeat(257))).rejects.toMatchObject({ code: 'invalid_argument' });
  await expect(ask('x'.repeat(256))).resolves.toBeInstanceOf(Response);
});

const post = (body: object): HttpRequest => ({
  method: 'POST',
  url: '/mcp',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body,
  clientId: 'ada',
  isTrusted: true,
  trace: newTraceParent(),
  signal: new AbortController().signal,
  ended: new Promise(() => undefined),
  closing: new AbortController().signal,
  recordedByHandler: () => undefined,
});
