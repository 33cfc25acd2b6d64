import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

import { freePort } from '@code-executor/contracts/testing';
import { expect } from '@jest/globals';

import { type StartedHttpServer, tokenHash } from '../server-under-test/started-http-server.js';
import { closeClients, connectMcp } from '../http/mcp-clients.js';
import { overHttp } from './effect-check.js';
import { up } from './upstream.js';

const port = await freePort();
const namedPort = await freePort();

export const httpChecks = [
  overHttp({
    config: {
      http: {
        host: '::1',
        port,
        clients: {
          other: {
            tokenHash: tokenHash('other'),
            policy: { allow: ['mcp__up__tell', 'mcp__up__give'], deny: ['*__give'] },
            rateLimit: { enabled: false },
          },
          careful: {
            tokenHash: tokenHash('careful'),
            policy: { allow: ['up'], ceiling: ['mcp__up__tell', 'mcp__up__wait'], ask: ['*__wait'] },
          },
          reader: { tokenHash: tokenHash('reader'), policy: { allow: ['up'], readOnly: true } },
          slow: { tokenHash: tokenHash('slow'), rateLimit: { windowMs: 7000, maxRequests: 1 } },
          single: { tokenHash: tokenHash('single'), maxExecutions: 1 },
        },
      },
      mcpServers: up,
    },
    shows: {
      'http.host': async (server) => {
        expect(new URL(server.url).hostname).toBe('[::1]');
        expect((await server.ask('/live', 'other')).status).toBe(200);
      },
      'http.port': async (server) => {
        expect(new URL(server.url).port).toBe(String(port));
        expect((await server.ask('/live', 'other')).status).toBe(200);
      },
      'http.clients.<name>.tokenHash': async (server) => {
        expect((await server.list('unknown')).status).toBe(401);
        expect((await server.list('other')).status).toBe(200);
      },
      'http.clients.<name>.policy.allow': async (server) => {
        expect(await server.call('other', 'mcp__up__tell')).toMatchObject({ status: 200 });
        expect(await server.call('other', 'mcp__up__wait')).toMatchObject({ status: 403 });
      },
      'http.clients.<name>.policy.deny': async (server) =>
        expect(await refusalOf(server, 'other', 'mcp__up__give')).toEqual([
          403,
          expect.stringContaining('(http.clients.other.policy.deny)'),
        ]),
      'http.clients.<name>.policy.ceiling': async (server) => {
        expect(await server.call('careful', 'mcp__up__tell')).toMatchObject({ status: 200 });
        expect(await refusalOf(server, 'careful', 'mcp__up__give')).toEqual([
          403,
          expect.stringContaining('(http.clients.careful.policy.ceiling)'),
        ]);
      },
      'http.clients.<name>.policy.ask': async (server) =>
        expect(await refusalOf(server, 'careful', 'mcp__up__wait')).toEqual([
          400,
          expect.stringContaining('(http.clients.careful.policy.ask)'),
        ]),
      'http.clients.<name>.policy.readOnly': async (server) =>
        expect(await refusalOf(server, 'reader', 'mcp__up__tell')).toEqual([
          403,
          expect.stringContaining('(http.clients.reader.policy.readOnly)'),
        ]),
      'http.clients.<name>.rateLimit.enabled': async (server) => {
        const answers = Array.from({ length: 40 }, () => server.list('other'));
        expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
      },
      'http.clients.<name>.rateLimit.windowMs': async (server) => {
        for (;;) {
          const { status, retryAfter } = await server.list('slow');
          if (status === 200) continue;
          expect([6, 7]).toContain(Number(retryAfter));
          return;
        }
      },
      'http.clients.<name>.maxExecutions': async (server) => {
        const { run } = await connectMcp(server, 'single', 'auto');
        const reports = await Promise.all([run('return 1'), run('return 1')]);
        expect(reports.map(({ errorCode }) => errorCode).sort()).toEqual(['resource_exhausted', undefined]);
        await closeClients();
      },
      'http.clients.<name>.rateLimit.maxRequests': async (server) => {
        expect((await server.call('slow', 'mcp__up__tell')).status).toBe(403);
        expect((await server.call('slow', 'mcp__up__tell')).status).toBe(429);
      },
    },
  }),
  overHttp({
    config: {
      http: {
        host: '0.0.0.0',
        hostNames: ['box.example'],
        port: namedPort,
        clients: { one: { tokenHash: tokenHash('one') } },
      },
    },
    shows: {
      'http.hostNames': async () => {
        expect(await statusFor('box.example')).toBe(200);
        expect(await statusFor(`127.0.0.1:${namedPort}`)).toBe(421);
      },
    },
  }),
];

/** The status and the answer of a call. */
async function refusalOf(server: StartedHttpServer, client: string, tool: string): Promise<unknown> {
  const { status, body } = await server.call(client, tool, { bytes: 1, ms: 1 });
  return [status, JSON.stringify(body)];
}

/** The status of a request over the loopback address that names this Host. */
async function statusFor(host: string): Promise<number | undefined> {
  const asked = request({ host: '127.0.0.1', port: namedPort, path: '/live', headers: { host } }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}
