import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from '@jest/globals';

import { auditRecordsOf } from '../server-under-test/audit-records.js';
import { tokenHash } from '../server-under-test/started-http-server.js';
import { until } from '../server-under-test/until.js';
import { echo, echoed, everything, isCalling, longOperation, startHttp } from './http-servers.js';

test('while it shuts down, tells new clients to try again, and finishes running calls', async () => {
  const server = await startHttp({
    http: { clients: { ci: { tokenHash: tokenHash('ci token') } } },
    mcpServers: everything,
    policy: { defaultAllowedTools: ['*'] },
  });
  const long = server.call('ci token', longOperation, { duration: 4, steps: 1 });
  await until(() => isCalling(server));
  server.signal('SIGTERM');
  await until(() => server.stderr().includes('The server ends'));
  await until(async () => (await server.ask('/ready', undefined)).status === 503);
  expect(await server.ask('/ready', undefined)).toMatchObject({ status: 503, retryAfter: '30' });
  expect((await server.ask('/live', undefined)).status).toBe(200);
  expect(await server.call('ci token', ...echo)).toMatchObject({
    status: 503,
    body: { error: { code: 'unavailable', retryAfterMs: 30_000 } },
  });
  expect((await long).status).toBe(200);
  expect(await server.ended).toBe(0);
});

test('when its configuration changes, finishes running calls under the one they started with', async () => {
  const config = (...defaultAllowedTools: string[]) => ({
    mcpServers: everything,
    policy: { defaultAllowedTools },
  });
  const server = await startHttp(config(longOperation), { args: ['--no-auth'] });
  const answer = server.call(undefined, longOperation, { duration: 3, steps: 2 });
  await until(() => isCalling(server));
  const http = { port: Number(new URL(server.url).port) };
  await writeFile(join(server.home, '.code-executor.json'), JSON.stringify({ ...config(echo[0]), http }));
  server.signal('SIGHUP');
  await until(() => server.stderr().includes('read again'));
  expect((await server.call(undefined, longOperation)).status).toBe(403);
  expect(await server.call(undefined, ...echo)).toEqual(echoed);
  expect((await answer).status).toBe(200);
  await until(async () => {
    const calls = (await auditRecordsOf(server.home)).filter(
      ({ type, toolName }) => type === 'tool_call' && toolName === longOperation,
    );
    return calls.map(({ status }) => status).join() === 'success';
  });
});
