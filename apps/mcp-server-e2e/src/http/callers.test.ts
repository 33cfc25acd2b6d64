import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, describe, expect, test } from '@jest/globals';

import { auditRecordsOf } from '../server-under-test/audit-records.js';
import { tokenHash } from '../server-under-test/started-http-server.js';
import { until } from '../server-under-test/until.js';
import { echo, everything, startHttp, sum } from './http-servers.js';
import { closeClients, connectMcp, modes } from './mcp-clients.js';
import { begin, post } from './raw-mcp.js';

afterEach(closeClients);

const clients = {
  adder: { tokenHash: tokenHash('adder token'), policy: { allow: [sum[0]] } },
  echoer: { tokenHash: tokenHash('echoer token'), policy: { allow: [echo[0]] }, maxExecutions: 1 },
  hasty: { tokenHash: tokenHash('hasty token'), policy: { allow: [] }, rateLimit: { maxRequests: 2 } },
};

const start = () => startHttp({ http: { clients }, mcpServers: everything });
/** The outcome of a program that tries both tools. */
const bothTools = `
const say = (call) => call.then(() => 'made', (error) => error.code);
return [await say(callMCPTool('${sum[0]}', { a: 1, b: 2 })), await say(callMCPTool('${echo[0]}', { message: 'hi' }))];`;
const allowedTools = [sum[0], echo[0]];
const forever = 'await new Promise((resolve) => setTimeout(resolve, 60_000));';

describe.each(modes)('three callers at once (%s)', (mode) => {
  test('each have their own policy, executions, limits and records', async () => {
    const server = await start();
    const connected = await Promise.all(
      ['adder', 'echoer', 'hasty'].map((id) => connectMcp(server, `${id} token`, mode)),
    );
    const lists = await Promise.all(connected.map(({ client }) => client.listTools()));
    for (const { tools } of lists) {
      expect(tools.map(({ name }) => name)).toEqual([
        'executeTypescript',
        'executePython',
        'getExecution',
        'health',
      ]);
    }
    const [adder, echoer, hasty] = connected as [
      (typeof connected)[0],
      (typeof connected)[0],
      (typeof connected)[0],
    ];
    const reports = await Promise.all(connected.map(({ run }) => run(bothTools, { allowedTools })));
    expect(reports.map(({ result }) => result)).toEqual([
      ['made', 'permission_denied'],
      ['permission_denied', 'made'],
      ['permission_denied', 'permission_denied'],
    ]);
    const executionId = reports[0]?.['executionId'];
    expect(await adder.call('getExecution', { executionId })).toMatchObject({ state: 'finished' });
    expect(await echoer.call('getExecution', { executionId })).toMatchObject({ errorCode: 'not_found' });
    expect(((await echoer.call('getExecution', {}))['executions'] as unknown[]).length).toBe(1);

    const stop = new AbortController();
    const longRun = { name: 'executeTypescript', arguments: { code: forever } };
    const held = echoer.client.callTool(longRun, { signal: stop.signal }).catch(() => undefined);
    await until(
      async () => ((await adder.call('health', {}))['executions'] as { running: number }).running === 1,
    );
    expect(await echoer.run('return 1')).toMatchObject({
      errorCode: 'resource_exhausted',
      retryAfterMs: 5000,
    });
    expect(await adder.run('return 1')).toMatchObject({ success: true });
    stop.abort();
    await held;

    await expect(hasty.run('return 1')).resolves.toMatchObject({ success: true });
    await expect(hasty.run('return 1')).rejects.toMatchObject({ status: 429 });

    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
    const records = await auditRecordsOf(server.home);
    const calls = records.filter(({ type }) => type === 'tool_call' || type === 'denial');
    expect(new Set(calls.map(({ clientId, type, toolName }) => `${clientId} ${type} ${toolName}`))).toEqual(
      new Set([
        `adder tool_call ${sum[0]}`,
        `adder denial ${echo[0]}`,
        `echoer denial ${sum[0]}`,
        `echoer tool_call ${echo[0]}`,
        `hasty denial ${sum[0]}`,
        `hasty denial ${echo[0]}`,
      ]),
    );
    expect(records.filter(({ type }) => type === 'rate_limited').map(({ clientId }) => clientId)).toEqual([
      'hasty',
    ]);
    const sessions = records.filter(({ type }) => type === 'session');
    const expected = mode === 'legacy' ? ['adder', 'adder', 'echoer', 'echoer', 'hasty', 'hasty'] : [];
    expect(sessions.map(({ clientId }) => clientId).sort()).toEqual(expected);
  });
});

test('a revoked token is refused, and what its client has running ends, with its sessions', async () => {
  const server = await start();
  const session = await begin(server, 'adder token');
  const params = { name: 'executeTypescript', arguments: { code: forever } };
  const inSession = post(server, 'adder token', { id: 1, method: 'tools/call', params }, session);
  const { client } = await connectMcp(server, 'adder token', 'auto');
  const without = client.callTool(params);
  const other = await connectMcp(server, 'echoer token', 'auto');
  const running = async () => ((await other.call('health', {}))['executions'] as { running: number }).running;
  const outcomes = Promise.allSettled([inSession.then((answer) => answer.text()), without]);
  await until(async () => (await running()) === 2);
  const { echoer, hasty } = clients;
  const port = Number(new URL(server.url).port);
  const config = { http: { port, clients: { echoer, hasty } }, mcpServers: everything };
  await writeFile(join(server.home, '.code-executor.json'), JSON.stringify(config));
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await post(server, 'adder token', { id: 2, method: 'ping' }, session)).status).toBe(401);
  await until(async () => (await running()) === 0);
  expect(await other.run('return 1')).toMatchObject({ success: true });
  const records = await auditRecordsOf(server.home);
  const ended = records.filter(({ type, action }) => type === 'session' && action === 'ended');
  expect(ended.map(({ clientId }) => clientId)).toEqual(['adder']);
  const cancelled = records.filter(
    ({ type, errorCode }) => type === 'execution' && errorCode === 'cancelled',
  );
  expect(cancelled.map(({ clientId }) => clientId)).toEqual(['adder', 'adder']);
});
