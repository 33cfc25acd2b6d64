import { freePort } from '@code-executor/contracts/testing';
import { expect } from '@jest/globals';

import { overHttp } from './scene.test.support.js';
import { tokenHash } from './started-door.test.support.js';
import { up } from './upstream.test.support.js';

const port = await freePort();

export const httpScenes = [
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
          slow: { tokenHash: tokenHash('slow'), rateLimit: { windowMs: 7000, maxRequests: 1 } },
        },
      },
      mcpServers: up,
    },
    shows: {
      'http.host': async (door) => {
        expect(new URL(door.url).hostname).toBe('[::1]');
        expect((await door.ask('/live', 'other')).status).toBe(200);
      },
      'http.port': async (door) => {
        expect(new URL(door.url).port).toBe(String(port));
        expect((await door.ask('/live', 'other')).status).toBe(200);
      },
      'http.clients.<name>.tokenHash': async (door) => {
        expect((await door.list('nobody')).status).toBe(401);
        expect((await door.list('other')).status).toBe(200);
      },
      'http.clients.<name>.policy.allow': async (door) => {
        expect(await door.call('other', 'mcp__up__tell')).toMatchObject({ status: 200 });
        expect(await door.call('other', 'mcp__up__wait')).toMatchObject({ status: 403 });
      },
      'http.clients.<name>.policy.deny': async (door) => {
        const { status, body } = await door.call('other', 'mcp__up__give', { bytes: 1 });
        expect([status, JSON.stringify(body)]).toEqual([
          403,
          expect.stringContaining('(http.clients.other.policy.deny)'),
        ]);
      },
      'http.clients.<name>.rateLimit.enabled': async (door) => {
        const answers = Array.from({ length: 40 }, () => door.list('other'));
        expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
      },
      'http.clients.<name>.rateLimit.windowMs': async (door) => {
        for (;;) {
          const { status, retryAfter } = await door.list('slow');
          if (status === 200) continue;
          expect([6, 7]).toContain(Number(retryAfter));
          return;
        }
      },
      'http.clients.<name>.rateLimit.maxRequests': async (door) => {
        expect((await door.call('slow', 'mcp__up__tell')).status).toBe(403);
        expect((await door.call('slow', 'mcp__up__tell')).status).toBe(429);
      },
    },
  }),
];
