import { expect, test } from '@jest/globals';

import { auditRecordsOf } from '../server-under-test/audit-records.js';
import { createHome } from '../server-under-test/home.js';
import { tokenHash } from '../server-under-test/started-http-server.js';
import { echo, everything, startHttp } from './http-servers.js';

test('records refused requests, up to a limit for each kind, and counts the others', async () => {
  const server = await startHttp({ http: { clients: { ci: { tokenHash: tokenHash('ci token') } } } });
  const { url } = server;
  const authorization = 'Bearer ci token';
  for (let n = 0; n < 130; n++) await fetch(url);
  await fetch(url, { headers: { authorization, origin: 'http://evil.example' } });
  await fetch(`${url}/none`, { headers: { authorization } });
  await fetch(url, { method: 'POST', headers: { authorization }, body: 'x' });
  // The policy refuses the call, and records that as a denial.
  await server.call('ci token', 'mcp__none__x');
  await server.ask('/', 'ci token', { method: 'POST', body: '{}' });
  server.signal('SIGTERM');
  await server.ended;
  const recorded = (await auditRecordsOf(server.home)).map(
    ({ type, status, action, httpStatus, clientId, count }) =>
      [type, action ?? status, httpStatus, clientId, count].filter((value) => value !== undefined).join(' '),
  );
  expect(recorded).toEqual([
    'lifecycle started',
    ...Array.from({ length: 100 }, () => 'auth_failure rejected 401'),
    'request_refused rejected 403',
    'request_refused rejected 404 ci',
    'request_refused rejected 415 ci',
    'denial rejected ci',
    'request_refused rejected 400 ci',
    'auth_failure rejected 401 30',
    'lifecycle stopped',
  ]);
});

test('makes no call that it cannot record if audit.required is set', async () => {
  const home = await createHome({ blocked: '' });
  const audit = { required: true, path: './blocked/audit' };
  const policy = { defaultAllowedTools: ['*'] };
  const server = await startHttp({ mcpServers: everything, policy, audit }, { home });
  expect(await server.call(await server.token(), ...echo)).toMatchObject({
    status: 400,
    body: { error: { code: 'failed_precondition' } },
  });
});
