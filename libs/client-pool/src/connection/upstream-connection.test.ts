import type { JsonObject } from '@code-executor/contracts';
import { afterEach, describe, expect, test } from '@jest/globals';

import { ClientPool } from '../client-pool.js';
import {
  dataOf,
  errorOf,
  headers,
  patient,
  type RunningServer,
  startHttpServer,
  stdioServer,
  until,
} from '../fixture-servers.test.support.js';
import type { UpstreamServer } from '../options.js';

let pool: ClientPool | undefined;
let running: RunningServer | undefined;
const open = (wild: UpstreamServer, options = {}) => {
  pool = new ClientPool({ ...patient, servers: { wild }, ...options });
  return pool;
};
const openHttp = async (transport: 'http' | 'sse', options = {}) => {
  running = await startHttpServer('wild-server.mjs', transport);
  return open(running.server, options);
};
afterEach(async () => {
  await pool?.close();
  await running?.close();
  running = undefined;
});
const wild = stdioServer('wild-server.mjs', 'stdio');

describe('UpstreamConnection over stdio', () => {
  test('keeps a result whole: every block, structured content, isError and _meta', async () => {
    const pool = open(stdioServer('raw-server.mjs', 'ambiguous', 'of_tomorrow', 'no_result'));
    expect(await pool.callTool('mcp__wild__of_tomorrow', {})).toEqual({
      content: [
        { type: 'text', text: 'see' },
        { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
        { type: 'of_tomorrow', custom: { kept: true } },
      ],
      structuredContent: { answer: 42, nested: { list: [1, null, 'x'] } },
      isError: true,
      _meta: { 'example.org/trace': 'abc' },
    });
    expect(await errorOf(pool.callTool('mcp__wild__no_result', {}))).toMatchObject({
      code: 'internal',
      message: 'Server wild failed to call mcp__wild__no_result: its answer is no tool result',
    });
  });

  test.each(['null_result', 'no_answer', 'both', 'odd_error'])(
    'fails a call at once if its answer is not JSON-RPC: %s',
    async (name) => {
      const pool = open(stdioServer('raw-server.mjs', 'ambiguous', name, 'sound'));
      expect(await errorOf(pool.callTool(`mcp__wild__${name}`, {}))).toMatchObject({
        code: 'internal',
        message: `Server wild failed to call mcp__wild__${name}: its answer is no MCP message`,
        tool: `mcp__wild__${name}`,
        server: 'wild',
      });
      expect(await pool.callTool('mcp__wild__sound', {})).toMatchObject({
        structuredContent: { name: 'sound' },
      });
    },
  );

  test('gives up a server that does not read what it is sent', async () => {
    const pool = open(stdioServer('raw-server.mjs', 'ambiguous', 'deaf'));
    const text = 'x'.repeat(10_000_000);
    const calls = Array.from({ length: 9 }, () => errorOf(pool.callTool('mcp__wild__deaf', { text })));
    for (const error of await Promise.all(calls)) {
      expect(error).toMatchObject({ code: 'unavailable', server: 'wild' });
      expect(error.message).toContain('Server wild does not read its input during the call');
    }
  });

  test('distinguishes refused arguments from other failures, and shows a bounded message without secrets', async () => {
    const pool = open({ ...wild, env: { SECRET_TOKEN: 'hunter2hunter2' } });
    expect(await errorOf(pool.callTool('mcp__wild__invalid', {}))).toMatchObject({
      code: 'invalid_argument',
      message: 'Tool mcp__wild__invalid refused its arguments: size must be positive',
      tool: 'mcp__wild__invalid',
      server: 'wild',
    });
    const internal = await errorOf(pool.callTool('mcp__wild__internal', {}));
    expect(internal).toMatchObject({ code: 'internal', tool: 'mcp__wild__internal', server: 'wild' });
    expect(internal.message).toContain('database *** is on fire');
    expect(internal.message.length).toBeLessThan(400);
  });

  test("blanks secrets in a tool's error, and leaves other results as they are", async () => {
    const pool = open({ ...wild, env: { SECRET_TOKEN: 'hunter2hunter2' } });
    expect(await pool.callTool('mcp__wild__tool_error', {})).toEqual({
      content: [{ type: 'text', text: 'token *** is old\n' }],
      isError: true,
    });
    expect(await dataOf(pool, 'wild__environment')).toMatchObject({ SECRET_TOKEN: 'hunter2hunter2' });
  });

  test('tells the server about a cancelled call, and answers further ones', async () => {
    const pool = open(wild);
    await pool.listTools();
    const stop = new AbortController();
    const call = errorOf(pool.callTool('mcp__wild__hang', {}, { signal: stop.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    expect((await call).code).toBe('cancelled');
    await until(async () => (await dataOf(pool, 'wild__hangs'))['cancelled'] === 1);
  });

  test('gives up a call after callTimeoutMs and cancels it, but not while it reports progress', async () => {
    const pool = open(wild, { callTimeoutMs: 1000 });
    expect(await errorOf(pool.callTool('mcp__wild__hang', {}))).toMatchObject({
      code: 'deadline_exceeded',
      tool: 'mcp__wild__hang',
      server: 'wild',
    });
    expect(await dataOf(pool, 'wild__hangs')).toEqual({ started: 1, cancelled: 1 });
    expect(await dataOf(pool, 'wild__progress', { steps: 12, everyMs: 100 })).toEqual({ steps: 12 });
    const endless = await errorOf(pool.callTool('mcp__wild__progress', { steps: 1000, everyMs: 50 }));
    expect(endless.code).toBe('deadline_exceeded');
  });

  test('carries a large result, and ends the connection at a line without end', async () => {
    const pool = open(wild);
    const { content } = await pool.callTool('mcp__wild__big', { bytes: 20_000_000 });
    expect((content[0]?.['text'] as string).length).toBe(20_000_000);
    const error = await errorOf(pool.callTool('mcp__wild__endless_line', {}));
    expect(error).toMatchObject({
      code: 'resource_exhausted',
      tool: 'mcp__wild__endless_line',
      server: 'wild',
    });
    expect(await dataOf(pool, 'wild__hangs')).toEqual({ started: 0, cancelled: 0 });
  });

  test('ignores lines that are not messages, and never lets a full stderr block the child', async () => {
    expect(await dataOf(open(wild), 'wild__noise', { megabytes: 50 })).toEqual({ megabytes: 50 });
  });

  test('lists again once for a burst of changes', async () => {
    const pool = open(wild, { discoveryTimeoutMs: 30_000 });
    await pool.listTools();
    expect(await dataOf(pool, 'wild__add_tool', { name: 'fresh', announcements: 20 })).toEqual({
      listings: 1,
    });
    const fresh = await pool.listTools({ name: 'mcp__wild__fresh' });
    expect(fresh.tools.map(({ name }) => name)).toEqual(['mcp__wild__fresh']);
    expect(await dataOf(pool, 'wild__add_tool', { name: 'x', announcements: 1 })).toEqual({ listings: 2 });
  });
});

describe.each(['stdio', 'http', 'sse'] as const)('UpstreamConnection over %s', (transport) => {
  const dear: [name: string, args: JsonObject][] = [
    ['dense', { count: 500_000 }],
    ['big', { bytes: 34_000_000 }],
    ['deep', { depth: 300 }],
  ];
  // The limits are the same for all; what differs is how a message comes in.
  test.each(transport === 'stdio' ? dear : dear.slice(0, 1))(
    'refuses only the answer that is too expensive: %s %j',
    async (name, args) => {
      const pool = transport === 'stdio' ? open(wild) : await openHttp(transport);
      const { pid } = await dataOf(pool, 'wild__pid');
      const other = dataOf(pool, 'wild__progress', { steps: 5, everyMs: 100 });
      const refused = await errorOf(pool.callTool(`mcp__wild__${name}`, args));
      expect(refused).toMatchObject({
        code: 'resource_exhausted',
        message: `Tool mcp__wild__${name} answered with more than is taken at once, 32 MB with 64 bytes for each array, object and member in it and 200 levels; ask it for less at a time.`,
        tool: `mcp__wild__${name}`,
        server: 'wild',
      });
      expect(await other).toEqual({ steps: 5 });
      expect(await dataOf(pool, 'wild__pid')).toEqual({ pid });
      expect(pool.stats.servers[0]).toMatchObject({ circuit: 'closed', circuitFailures: 0 });
    },
  );
});

describe.each(['http', 'sse'] as const)('UpstreamConnection over %s', (transport) => {
  test('keeps a result whole and distinguishes failures', async () => {
    const pool = await openHttp(transport);
    const result = await pool.callTool('mcp__wild__media', {});
    expect(result.content.map(({ type }) => type)).toEqual(['text', 'image', 'resource_link']);
    expect(result).toMatchObject({ isError: true, _meta: { 'example.org/trace': 'abc' } });
    expect((await errorOf(pool.callTool('mcp__wild__invalid', {}))).code).toBe('invalid_argument');
  });

  test('reports wrong headers as a failed server, with a fix', async () => {
    await openHttp(transport);
    const url = running?.server.url ?? '';
    const stranger = new ClientPool({ servers: { wild: { url, headers: { 'x-test-key': 'wrong-guess' } } } });
    const { failedServers } = await stranger.listTools();
    await stranger.close();
    expect(failedServers).toEqual([
      {
        server: 'wild',
        reason: 'it wants a login (HTTP 401)',
        fix: 'Put what it wants, such as an Authorization header with a token, into headers of wild in your configuration.',
        retryAfterMs: expect.any(Number),
      },
    ]);
  });

  test('tells the server about a cancelled call', async () => {
    const pool = await openHttp(transport);
    await pool.listTools();
    const stop = new AbortController();
    const call = errorOf(pool.callTool('mcp__wild__hang', {}, { signal: stop.signal }));
    await until(async () => (await dataOf(pool, 'wild__hangs'))['started'] === 1);
    stop.abort();
    expect((await call).code).toBe('cancelled');
    await until(async () => (await dataOf(pool, 'wild__hangs'))['cancelled'] === 1);
  });

  test('ends the connection at an answer of more than 64 MB, and reconnects', async () => {
    const pool = await openHttp(transport);
    const error = await errorOf(pool.callTool('mcp__wild__big', { bytes: 70_000_000 }));
    expect(error).toMatchObject({ code: 'resource_exhausted', server: 'wild' });
    expect(await dataOf(pool, 'wild__hangs')).toEqual({ started: 0, cancelled: 0 });
  });

  test('rejects the calls under way when the server dies, and then says why it is gone', async () => {
    const pool = await openHttp(transport);
    await pool.listTools();
    const { code, message, server } = await errorOf(pool.callTool('mcp__wild__crash', {}));
    expect([code, server]).toEqual(['unavailable', 'wild']);
    expect(message).toContain('Server wild');
    await until(() => running?.child.exitCode === 3);
    const next = await errorOf(pool.callTool('mcp__wild__pid', {}));
    expect(next).toMatchObject({ code: 'unavailable', server: 'wild', tool: 'mcp__wild__pid' });
    expect(next.message).toContain('it cannot be reached (ECONNREFUSED)');
  });
});

describe('UpstreamConnection over http', () => {
  test('starts a new session by itself if the server has forgotten the old one', async () => {
    const pool = await openHttp('http');
    await dataOf(pool, 'wild__forget_sessions');
    expect(await dataOf(pool, 'wild__hangs')).toEqual({ started: 0, cancelled: 0 });
  });

  test.each(['no url at all', 'ftp://example.org/x'])(
    'reports the url %j as a failed server',
    async (url) => {
      const { failedServers } = await open({ url, headers }).listTools();
      expect(failedServers).toEqual([
        {
          server: 'wild',
          reason: 'its url is no http or https URL',
          fix: 'Correct url of wild in your configuration.',
          retryAfterMs: expect.any(Number),
        },
      ]);
    },
  );
});

test('UpstreamConnection over sse treats a cut stream as the end of the connection', async () => {
  const pool = await openHttp('sse');
  const error = await errorOf(pool.callTool('mcp__wild__cut_streams', {}));
  expect(error).toMatchObject({ code: 'unavailable', server: 'wild', tool: 'mcp__wild__cut_streams' });
  expect(error.message).toContain('Server wild broke the connection during the call');
  expect(await dataOf(pool, 'wild__hangs')).toEqual({ started: 0, cancelled: 0 });
});

describe.each(['stdio', 'http', 'sse'] as const)('UpstreamConnection over %s', (transport) => {
  test('answers requests of the server, and ends the connection if there are too many', async () => {
    const pool = transport === 'stdio' ? open(wild) : await openHttp(transport);
    expect((await pool.callTool('mcp__wild__ask', { count: 20 })).structuredContent).toEqual({
      answered: 20,
    });
    expect(await errorOf(pool.callTool('mcp__wild__ask', { count: 2000 }))).toMatchObject({
      code: 'resource_exhausted',
      message: 'Server wild sent more requests than it takes answers to during the call of mcp__wild__ask.',
    });
    expect(await dataOf(pool, 'wild__hangs')).toEqual({ started: 0, cancelled: 0 });
  });
});
