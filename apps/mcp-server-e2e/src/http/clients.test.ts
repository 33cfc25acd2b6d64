import { lstat } from 'node:fs/promises';

import { expect, test } from '@jest/globals';

import { auditRecordsOf } from '../server-under-test/audit-records.js';
import { tokenHash } from '../server-under-test/started-http-server.js';
import { denial, echo, echoed, everything, startHttp, sum } from './http-servers.js';

test('applies the policy and the rate limit of each client by its token, and writes no token file', async () => {
  const clients = {
    adder: {
      tokenHash: tokenHash('adder token'),
      policy: { allow: ['mcp__everything__*', 'mcp__other__*'], deny: ['*__echo'] },
      rateLimit: { maxRequests: 5 },
    },
    plain: { tokenHash: tokenHash('plain token') },
    less: { tokenHash: tokenHash('less token'), policy: { deny: ['*'] }, rateLimit: { enabled: false } },
  };
  const server = await startHttp({
    http: { clients },
    mcpServers: everything,
    policy: { defaultAllowedTools: [echo[0]], ceiling: ['mcp__everything__*'] },
    security: { rateLimit: { maxRequests: 3 } },
  });
  expect(server.stderr()).toContain(`listening on ${server.url}, for 3 of http.clients`);
  await expect(lstat(server.tokenFile)).rejects.toMatchObject({ code: 'ENOENT' });

  for (const wrong of [undefined, 'adder', tokenHash('adder token'), 'adder token, plain token']) {
    expect((await server.call(wrong, ...echo)).status).toBe(401);
  }
  const adder = 'adder token';
  expect((await server.call(adder, ...sum)).status).toBe(200);
  expect(await server.call(adder, ...echo)).toMatchObject(denial('(http.clients.adder.policy.deny)'));
  expect(await server.call(adder, 'mcp__other__x')).toMatchObject(denial('(policy.ceiling)'));
  expect((await server.call(adder, 'mcp__everything__none')).status).toBe(404);

  const plain = 'plain token';
  expect(await server.call(plain, ...sum)).toMatchObject(
    denial(
      'is not in policy.defaultAllowedTools (mcp__everything__echo); have the operator add it there or to http.clients.plain.policy.allow',
    ),
  );
  expect(await server.call(plain, 'mcp__everything__ehco')).toMatchObject(
    denial('did you mean mcp__everything__echo?'),
  );
  expect(await server.call(plain, ...echo)).toEqual(echoed);
  expect(await server.call(plain, ...echo)).toMatchObject({
    status: 429,
    body: { error: { message: expect.stringContaining('http.clients.plain.rateLimit') as unknown } },
  });
  // The client has its own limit and its own count.
  expect((await server.call(adder, ...sum)).status).toBe(200);
  expect((await server.call(adder, ...sum)).status).toBe(429);

  const less = 'less token';
  for (let n = 0; n < 10; n++) {
    expect(await server.call(less, ...echo)).toMatchObject(denial('(http.clients.less.policy.deny)'));
  }
  expect(await server.list(less, '?q=echo&limit=1')).toMatchObject({
    status: 200,
    body: [{ unavailable: { fix: expect.stringContaining('http.clients.less.policy.deny') as unknown } }],
  });
  server.signal('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(server.stderr()).not.toMatch(/[0-9a-f]{64}| token"/);
  const recorded = (await auditRecordsOf(server.home)).filter(({ clientId }) => clientId === 'plain');
  expect(recorded.filter(({ toolName }) => toolName).map((record) => [record.type, record.toolName])).toEqual(
    [
      ['denial', sum[0]],
      ['denial', 'mcp__everything__ehco'],
      ['tool_call', echo[0]],
    ],
  );
});
