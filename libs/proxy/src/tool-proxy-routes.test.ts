import { CodeExecutorError, type FailedServer, type ToolSource } from '@code-executor/contracts';
import { fakeToolSource, heldSource } from '@code-executor/contracts/testing';
import { startHttpServer, type TokenServer } from '@code-executor/http-server';
import { afterEach, describe, expect, test } from '@jest/globals';

import { serveToolProxy } from './serve-tool-proxy.js';
import { createToolProxy } from './tool-proxy.js';
import { toolProxyRoutes, type ToolProxyRoutesOptions } from './tool-proxy-routes.js';

const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const source = () =>
  fakeToolSource(
    {
      mcp__test__echo: (args) => args['text'],
      mcp__test__json: () => '{"a":[1]}',
      mcp__test__fail: () => {
        throw new Error('it failed');
      },
      mcp__test__away: () => {
        throw new CodeExecutorError('unavailable', 'Away.', { retryAfterMs: 30_000, server: 'test' });
      },
      mcp__other__write_file: () => 'written',
    },
    { mcp__test__echo: { parameters: schema }, mcp__other__write_file: { description: 'Writes a file' } },
  );

let server: TokenServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(options: Partial<ToolProxyRoutesOptions> = {}, tools: ToolSource = source()) {
  const policy = { defaultAllowedTools: ['mcp__test__*', 'mcp__other__*'], ceiling: ['mcp__test__*'] };
  const createProxy = () => createToolProxy({ tools, policy });
  return (server = await startHttpServer([toolProxyRoutes({ createProxy, rateLimit: false, ...options })]));
}

/** Status and body of the answer. */
async function post({ url, token }: TokenServer, body: unknown): Promise<[number, unknown]> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return [answer.status, await answer.json()];
}

function get({ url, token }: TokenServer, query = '') {
  return fetch(`${url}/mcp/tools${query}`, { headers: { authorization: `Bearer ${token}` } });
}

describe('a trace', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const form = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/;

  test.each([
    ['of the caller is passed on', `00-${traceId}-00f067aa0ba902b7-01`, traceId],
    ['that cannot be read is replaced by a new one', 'nonsense', undefined],
  ])('%s, and the proxy gets its id', async (_what, header, expected) => {
    const seen: { traceparent?: string; correlationId?: string } = {};
    const tools = source();
    const watched: ToolSource = {
      listTools: (options) => tools.listTools(options),
      callTool(name, args, options) {
        if (options?.traceparent !== undefined) seen.traceparent = options.traceparent;
        return tools.callTool(name, args, options);
      },
    };
    const { url, token } = await start({
      createProxy(_client, correlationId) {
        seen.correlationId = correlationId;
        return createToolProxy({ tools: watched, policy: { defaultAllowedTools: ['*'] } });
      },
    });
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        traceparent: header,
      },
      body: JSON.stringify({ toolName: 'mcp__test__echo', params: { text: 'hi' } }),
    });
    expect(answer.status).toBe(200);
    expect(seen.traceparent).toMatch(form);
    expect(seen.traceparent?.slice(3, 35)).toBe(seen.correlationId);
    if (expected !== undefined) expect(seen.correlationId).toBe(expected);
  });
});

describe('POST /', () => {
  test('gives the plain value that a tool returned, or with raw the whole result', async () => {
    const started = await start();
    const call = { toolName: 'mcp__test__echo', params: { text: 'hi' } };
    expect(await post(started, call)).toEqual([200, { result: 'hi' }]);
    expect(await post(started, { ...call, raw: true })).toEqual([
      200,
      { result: { content: [{ type: 'text', text: 'hi' }] } },
    ]);
    expect(await post(started, { toolName: 'mcp__test__json' })).toEqual([200, { result: { a: [1] } }]);
  });

  test("answers a tool's own failure with 502 and tool_error, or as a result with raw", async () => {
    const started = await start();
    expect(await post(started, { toolName: 'mcp__test__fail' })).toEqual([
      502,
      { error: { code: 'tool_error', message: 'it failed', tool: 'mcp__test__fail', server: 'test' } },
    ]);
    expect(await post(started, { toolName: 'mcp__test__fail', raw: true })).toEqual([
      200,
      { result: { content: [{ type: 'text', text: 'it failed' }], isError: true } },
    ]);
  });

  test.each([
    ['mcp__test__echo', { text: 5 }, 400, 'invalid_argument'],
    ['mcp__other__write_file', {}, 403, 'permission_denied'],
    ['mcp__test__Echo', { text: '' }, 404, 'not_found'],
    ['MCP__test__echo', { text: '' }, 403, 'permission_denied'],
    ['mcp__test__echo ', { text: '' }, 404, 'not_found'],
    ['mcp__test__%65cho', { text: '' }, 404, 'not_found'],
    ['mcp__test__away', {}, 503, 'unavailable'],
  ])('answers %j with %j by %i %s', async (toolName, params, status, code) => {
    const tools = source();
    const answer = await post(await start({}, tools), { toolName, params });
    expect(answer).toMatchObject([status, { error: { code } }]);
    expect(tools.calls.map(({ name }) => name)).toEqual(status === 503 ? ['mcp__test__away'] : []);
  });

  test.each([
    [[], 'The body must be one object, not array []; see POST /.'],
    [null, 'The body must be one object, not null; see POST /.'],
    [{}, 'toolName must be the name of a tool, not nothing.'],
    [
      { toolName: ['mcp__test__echo'] },
      'toolName must be the name of a tool, not array ["mcp__test__echo"].',
    ],
    [{ toolName: 'x', params: [] }, 'params must be the arguments as one object, not array [].'],
    [{ toolName: 'x', raw: 1 }, 'raw must be true or false, not number 1.'],
    [
      { toolName: 'x', allowedTools: ['*'] },
      'The body has no field allowedTools; it takes toolName, params, raw.',
    ],
  ])('refuses %j', async (body, message) => {
    expect(await post(await start(), body)).toEqual([400, { error: { code: 'invalid_argument', message } }]);
  });

  test('cancels a call when its client hangs up', async () => {
    const held = heldSource();
    const { url, token } = await start({}, held);
    const gone = new AbortController();
    const asked = fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"toolName":"mcp__test__held"}',
      signal: gone.signal,
    });
    const left = expect(asked).rejects.toThrow('aborted');
    await held.untilOpen(1);
    const signal = held.open[0]?.options.signal;
    const ended = new Promise((resolve) => signal?.addEventListener('abort', resolve));
    gone.abort();
    await left;
    await ended;
  });
});

describe('GET /mcp/tools', () => {
  const namesOf = async (answer: Response) =>
    ((await answer.json()) as { name: string }[]).map(({ name }) => name);

  test('answers with an array and the number of all tools in X-Total-Count, and marks tools that may not be called', async () => {
    const answer = await get(await start(), '?server=other');
    expect([answer.status, answer.headers.get('x-total-count')]).toEqual([200, '1']);
    expect(await answer.json()).toMatchObject([
      { name: 'mcp__other__write_file', unavailable: { reason: expect.stringContaining('policy.ceiling') } },
    ]);
  });

  test('names the servers that could not be listed, and asks to come again for those that start', async () => {
    const failed = { reason: 'it is', fix: 'Wait.' };
    const failedServers: FailedServer[] = [
      { ...failed, server: 'dead' },
      { ...failed, server: 'späte', isStarting: true },
    ];
    const tools = { ...source(), listTools: () => Promise.resolve({ tools: [], failedServers }) };
    const { headers } = await get(await start({}, tools));
    expect(headers.get('x-unavailable-servers')).toBe('dead, sp%C3%A4te');
    expect(headers.get('retry-after')).toBe('1');
  });

  test('finds tools by one of several words, joined by +, repeated or with %20', async () => {
    const started = await start();
    for (const query of ['?q=echo+write', '?q=echo&q=write', '?q=echo%20write']) {
      const names = await namesOf(await get(started, query));
      expect(names.sort()).toEqual(['mcp__other__write_file', 'mcp__test__echo']);
    }
  });

  test('accepts offset and limit', async () => {
    const started = await start();
    const all = await namesOf(await get(started));
    expect(all).toHaveLength(5);
    const page = await get(started, '?offset=1&limit=2');
    expect([page.headers.get('x-total-count'), await namesOf(page)]).toEqual(['5', all.slice(1, 3)]);
  });

  test.each([
    [`?q=${'x'.repeat(101)}`],
    [`?${'q=x&'.repeat(1000)}`],
    ['?q=(a%2B)%2B$'],
    ['?q=<script>'],
    ['?q=a%0Ab'],
    ['?limit=0'],
    ['?limit=1e3'],
    ['?limit=1&limit=2'],
    ['?offset=-1'],
    ['?__proto__=1'],
  ])('answers %s with 400 and does not repeat it', async (query) => {
    const answer = await get(await start(), query);
    const text = await answer.text();
    expect([answer.status, JSON.parse(text)]).toMatchObject([400, { error: { code: 'invalid_argument' } }]);
    expect(text).not.toMatch(/script|a\+/);
  });

  test('accepts 100 letters of any alphabet', async () => {
    expect((await get(await start(), `?q=${encodeURIComponent('ä'.repeat(100))}`)).status).toBe(200);
  });
});

describe('the rate limit', () => {
  test('counts calls and listings separately, and says when to come again', async () => {
    const started = await start({ rateLimit: { maxRequests: 2, windowMs: 60_000 } });
    const statuses = [await get(started), await get(started), await get(started)].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 429]);
    const refused = await get(started);
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect(await refused.json()).toMatchObject({
      error: { code: 'resource_exhausted', message: expect.stringContaining('More than 2 requests') },
    });
    expect(await post(started, { toolName: 'mcp__test__json' })).toEqual([200, { result: { a: [1] } }]);
  });

  test('is 30 by default, and does not count requests without the token', async () => {
    const tools = source();
    server = await serveToolProxy(createToolProxy({ tools, allowedTools: ['mcp__test__*'] }));
    for (let n = 0; n < 31; n++) await (await fetch(`${server.url}/mcp/tools`)).text();
    for (let n = 0; n < 30; n++) {
      expect(await post(server, { toolName: 'mcp__test__json' })).toEqual([200, { result: { a: [1] } }]);
    }
    expect((await post(server, { toolName: 'mcp__test__json' }))[0]).toBe(429);
    expect((await get(server)).status).toBe(200);
    expect(tools.calls).toHaveLength(30);
  });
});
