import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { freePort } from '@code-executor/contracts/testing';
import { afterEach, describe, expect, test } from '@jest/globals';

import { auditRecordsOf } from '../server-under-test/audit-records.js';
import { StartedHttpServer, tokenHash } from '../server-under-test/started-http-server.js';
import { StartedServer } from '../server-under-test/started-server.js';
import { until } from '../server-under-test/until.js';
import { inTurn, upstream } from '../settings/upstream.js';
import { realServer } from '../upstream-servers/entries.js';

const ending: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of ending.splice(0)) await one.close();
});

const timestamp = expect.stringMatching(/^\d{4}-.*Z$/) as unknown;
const uptime = expect.any(Number) as unknown;
const version = expect.stringMatching(/^\d+\.\d+\.\d+$/) as unknown;
/** Listings wait for all tools, however long the server takes to start. */
const discovery = { timeoutMs: 60_000 };
const anyServer = { mcpServers: { everything: realServer('everything') }, discovery };

async function ask(url: string, init?: RequestInit) {
  const answer = await fetch(url, init);
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') === true;
  return {
    status: answer.status,
    headers: answer.headers,
    body: isJson ? (JSON.parse(text) as object) : text,
  };
}

describe('HEALTH_CHECK_PORT', () => {
  test('serves probes and metrics next to stdio, without a token', async () => {
    const port = await freePort();
    const server = await StartedServer.start(
      { '.code-executor.json': JSON.stringify({ ...anyServer, projectOnly: true }) },
      { HEALTH_CHECK_PORT: String(port) },
    );
    ending.push(server);
    const at = (path: string, init?: RequestInit) => ask(`http://127.0.0.1:${port}${path}`, init);

    const live = await at('/live');
    expect([live.status, live.body]).toEqual([200, { status: 'alive', timestamp }]);
    expect(live.headers.get('cache-control')).toBe('no-store');
    expect((await at('/health')).body).toEqual({ status: 'ok', uptime, timestamp, version });
    // No upstream server was contacted yet.
    expect(await at('/ready')).toMatchObject({
      status: 200,
      body: { ready: true, connectionPool: { active: 0, waiting: 0, max: 100 } },
    });
    expect((await at('/nothing')).status).toBe(404);
    const post = await at('/live', { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET']);
    expect((await at('/live', { method: 'POST', body: 'text' })).status).toBe(405);
    expect(server.stderr).not.toContain('A probe failed');

    await server.run('return await tools.everything.echo({ message: "hi" })', {
      allowedTools: ['mcp__everything__echo'],
    });
    expect((await at('/ready')).body).toEqual({
      ready: true,
      timestamp,
      connectionPool: { active: 0, waiting: 0, max: 100 },
    });
    const { body } = await at('/metrics');
    expect(body).toMatch(/^executions_total\{[^}]*language="typescript"[^}]*\} 1$/m);
    expect(body).toMatch(/^tool_calls_total\{[^}]*server="everything"[^}]*\} 1$/m);
    expect(body).toMatch(/^cache_misses_total\{cache_type="schema"\} [1-9]$/m);
    expect(body).toMatch(/^circuit_breaker_state\{server="everything"\} 0$/m);
    expect(body).toMatch(/^sandbox_startup_seconds_count\{language="typescript"\} 1$/m);
  });

  test('is not ready if no server has a tool', async () => {
    const port = await freePort();
    const mcpServers = { broken: { command: 'false' } };
    const server = await StartedServer.start(
      { '.code-executor.json': JSON.stringify({ mcpServers, discovery, projectOnly: true }) },
      { HEALTH_CHECK_PORT: String(port) },
    );
    ending.push(server);
    await server.run('return await discoverMCPTools()');
    const { status, body } = await ask(`http://127.0.0.1:${port}/ready`);
    expect([status, body]).toMatchObject([503, { ready: false, reason: 'No server has a tool.' }]);
  });

  test('is not ready, and has no connections, while the circuit of every server is open', async () => {
    const port = await freePort();
    const config = {
      mcpServers: { up: upstream() },
      pool: { failureThreshold: 1, resetTimeoutMs: 600_000 },
      policy: { defaultAllowedTools: ['*'] },
    };
    const server = await StartedServer.start(
      { '.code-executor.json': JSON.stringify(config) },
      { HEALTH_CHECK_PORT: String(port) },
    );
    ending.push(server);
    const state = async () => {
      const { structured } = await server.call('health', {});
      return {
        clients: structured['mcpClients'],
        ready: (await ask(`http://127.0.0.1:${port}/ready`)).status,
      };
    };
    await server.run(inTurn(['tell']));
    expect(await state()).toEqual({ clients: { connected: 1 }, ready: 200 });
    await server.run(inTurn(['die']));
    expect(await state()).toEqual({ clients: { connected: 0 }, ready: 503 });
  });

  test('is logged if the port is in use, and the server works without it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    ending.push({ close: () => new Promise((resolve) => other.close(() => resolve())) });
    const { port } = other.address() as { port: number };
    const server = await StartedServer.start({}, { HEALTH_CHECK_PORT: String(port) });
    ending.push(server);
    await until(() => server.stderr.includes('is in use; choose another. There are no probes.'));
    expect((await server.run('return 1')).result).toBe(1);
  });
});

describe('code-executor-mcp --http', () => {
  test('shows more to clients with a token, and its metrics only to them', async () => {
    const config = { ...anyServer, http: { port: await freePort() } };
    const server = await StartedHttpServer.start(
      { '.code-executor.json': JSON.stringify(config) },
      { HEALTH_CHECK_PORT: '3000' },
    );
    ending.push(server);
    expect(server.stderr()).toContain('HEALTH_CHECK_PORT is for stdio');
    const token = await server.token();
    await server.list(token);
    expect((await ask(`${server.url}/live`)).status).toBe(200);
    expect((await ask(`${server.url}/ready`)).status).toBe(200);
    expect((await ask(`${server.url}/health`)).body).toEqual({ status: 'ok', uptime, timestamp, version });
    expect((await server.ask('/health', token)).body).toEqual({
      status: 'ok',
      uptime,
      timestamp,
      version,
      healthy: true,
      mcpClients: { connected: 1 },
      schemaCache: { size: 1 },
    });
    expect((await ask(`${server.url}/metrics`)).status).toBe(401);
    const { body } = await server.ask('/metrics', token);
    expect(body).toMatch(/^http_requests_total\{method="GET",status="401"\} 1$/m);
    expect(body).toMatch(/^http_request_duration_seconds_count\{method="GET",endpoint="\/mcp\/tools"\} 1$/m);
    expect(body).toMatch(/^auth_failures_total 1$/m);
  });

  test('records refused requests, and rejects a token that is revoked while it runs', async () => {
    const clients = {
      ci: { tokenHash: tokenHash('ci token'), rateLimit: { maxRequests: 1 } },
      other: { tokenHash: tokenHash('other token') },
    };
    const config = { ...anyServer, http: { port: await freePort(), clients } };
    const server = await StartedHttpServer.start({ '.code-executor.json': JSON.stringify(config) }, {});
    ending.push(server);
    expect((await server.list('ci token')).status).toBe(200);
    expect((await server.list('ci token')).status).toBe(429);
    expect((await server.list('wrong')).status).toBe(401);
    const less = { ...config, http: { ...config.http, clients: { other: clients.other } } };
    await writeFile(join(server.home, '.code-executor.json'), JSON.stringify(less));
    // The connections of the client are cut, with the request that has just been sent on one of them.
    await until(async () => {
      const answer = await server.ask('/health', 'ci token').catch(() => ({ body: { healthy: true } }));
      return !Object.hasOwn(answer.body as object, 'healthy');
    });
    expect((await server.list('ci token')).status).toBe(401);
    expect((await server.list('other token')).status).toBe(200);
    const records = (await auditRecordsOf(server.home)).filter(
      ({ type }) => type === 'auth_failure' || type === 'rate_limited',
    );
    const common = { status: 'rejected', timestamp, clientKind: 'http', clientIp: '127.0.0.1' };
    expect(records.slice(0, 2)).toEqual([
      { ...common, type: 'rate_limited', httpStatus: 429, errorCode: 'resource_exhausted', clientId: 'ci' },
      { ...common, type: 'auth_failure', httpStatus: 401, errorCode: 'unauthenticated' },
    ]);
  });
});
