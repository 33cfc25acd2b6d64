import { freePort } from '@code-executor/contracts/testing';
import { expect } from '@jest/globals';

import { overHttp, overStdio } from './effect-check.js';
import { noSpares } from './upstream.js';

const spares = noSpares;
/** Long enough for programs that start slowly. */
const timeoutMs = 20_000;

export const securityChecks = [
  overStdio({
    config: {
      security: {
        defaultTimeoutMs: 1000,
        maxTimeoutMs: timeoutMs,
        maxCodeSize: 200,
        allowRead: ['data.txt'],
        allowWrite: ['written'],
        allowNetwork: ['localhost:1'],
      },
      sandbox: { spares },
    },
    files: { 'data.txt': 'the data', written: '' },
    shows: {
      'security.defaultTimeoutMs': async (server) => {
        const report = await server.run('for (;;) {}');
        expect(report).toMatchObject({ status: 'timed_out', error: expect.stringContaining('1000 ms') });
      },
      'security.maxTimeoutMs': async (server) => {
        const { error } = await server.run('return 1', { timeoutMs: timeoutMs + 1 });
        expect(error).toContain('it must be a whole number from 1000 to 20000');
      },
      'security.maxCodeSize': async (server) => {
        const { error } = await server.run('x'.repeat(201));
        expect(error).toContain('it must be text of 1 to 200 characters');
      },
      'security.allowRead': async (server) => {
        const path = `${server.home}/data.txt`;
        const code = `return await Deno.readTextFile(${JSON.stringify(path)})`;
        expect((await server.run(code, { timeoutMs, permissions: { read: [path] } })).result).toBe(
          'the data',
        );
      },
      'security.allowWrite': async (server) => {
        const path = `${server.home}/written`;
        const code = `await Deno.writeTextFile(${JSON.stringify(path)}, 'new'); return 'written'`;
        expect((await server.run(code, { timeoutMs, permissions: { write: [path] } })).result).toBe(
          'written',
        );
      },
      'security.allowNetwork': async (server) => {
        const ask = (url: string) => `await fetch('${url}').catch((error) => error.message)`;
        const { result, stderr } = await server.run(
          `return [${ask('http://localhost:1/')}, ${ask('http://example.org/')}]`,
          { timeoutMs, permissions: { net: ['localhost:1', 'example.org'] } },
        );
        // Granted, and refused only because it is this machine.
        expect(result).toEqual([
          expect.stringContaining('Host localhost is not reached because it is not a public address'),
          expect.stringContaining('permissions.net'),
        ]);
        expect(stderr).toBe(
          'permissions.net "example.org" is outside security.allowNetwork and was not granted.\n',
        );
      },
    },
  }),
  overHttp({
    config: {
      http: { port: await freePort() },
      security: { rateLimit: { windowMs: 7000, maxRequests: 2 } },
    },
    shows: {
      'security.rateLimit.windowMs': async (server) => {
        const token = await server.token();
        for (;;) {
          const { status, retryAfter } = await server.list(token);
          if (status === 200) continue;
          // The time until the first request leaves the window.
          expect([6, 7]).toContain(Number(retryAfter));
          return;
        }
      },
      'security.rateLimit.maxRequests': async (server) => {
        // Calls and listings are counted separately.
        const token = await server.token();
        const statuses = [];
        for (let n = 0; n < 3; n++) statuses.push((await server.call(token, 'mcp__none__x')).status);
        expect(statuses).toEqual([403, 403, 429]);
      },
    },
  }),
  overHttp({
    config: { http: { port: await freePort() }, security: { rateLimit: { enabled: false } } },
    shows: {
      'security.rateLimit.enabled': async (server) => {
        const token = await server.token();
        const answers = Array.from({ length: 40 }, () => server.list(token));
        expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
      },
    },
  }),
];
