import { expect } from '@jest/globals';

import { type StartedServer } from '../server-under-test/started-server.js';
import { badServerEntry } from '../upstream-servers/entries.js';
import { oncePer, overStdio } from './effect-check.js';
import { atOnce, inTurn, noSpares, up } from './upstream.js';

const common = { mcpServers: up, sandbox: { spares: noSpares }, policy: { defaultAllowedTools: ['*'] } };

type Ends = [first: unknown, second: unknown, third: unknown];

/** One call runs, one waits too long, one is refused by the full queue. */
const crowd = oncePer(async (server: StartedServer) => {
  return (await server.run(atOnce(['wait', { ms: 2000 }], ['tell'], ['give']))).result as unknown as Ends;
});

/** Two calls that kill the server, and one that is refused. */
const failTwice = oncePer(async (server: StartedServer) => {
  return (await server.run(inTurn(['die'], ['die'], ['tell']))).result as unknown as Ends;
});

/** Checks that a call to a server that never answers fails after this time. */
async function expectGivenUp(server: StartedServer, name: string, after: string): Promise<void> {
  const { result } = await server.run(
    `return await callMCPTool('mcp__${name}__x', {}).catch((error) => error.message)`,
  );
  expect(result).toContain(`it did not answer within ${after}`);
}

export const poolChecks = [
  overStdio({
    config: { ...common, pool: { maxConcurrent: 1, maxQueued: 1, queueTimeoutMs: 1000 } },
    instead: { 'pool.maxConcurrent': 50, 'pool.maxQueued': 100, 'pool.queueTimeoutMs': 60_000 },
    shows: {
      'pool.maxConcurrent': async (server) => {
        const { result } = await server.run(atOnce(['wait', { ms: 100 }], ['wait', { ms: 100 }]));
        expect(result).toEqual([{ atOnce: 1 }, { atOnce: 1 }]);
      },
      'pool.maxQueued': async (server) => {
        const message =
          'Tool mcp__up__give was not called because the queue is full (1 calls running, 1 waiting); try again later.';
        expect((await crowd(server))[2]).toEqual(['unavailable', message, 60_000]);
      },
      'pool.queueTimeoutMs': async (server) => {
        const message =
          'Tool mcp__up__tell was not called because its turn did not come within 1 s; try again later.';
        expect((await crowd(server))[1]).toEqual(['unavailable', message, 30_000]);
      },
    },
  }),
  overStdio({
    config: { ...common, pool: { failureThreshold: 2, resetTimeoutMs: 10_000 } },
    shows: {
      'pool.failureThreshold': async (server) => {
        const refused = [
          'unavailable',
          expect.stringContaining('open after 2 failures in a row'),
          expect.anything(),
        ];
        expect((await failTwice(server))[2]).toEqual(refused);
      },
      'pool.resetTimeoutMs': async (server) => {
        const [, , [, , retryAfterMs]] = (await failTwice(server)) as [
          unknown,
          unknown,
          [string, string, number],
        ];
        // The remaining time.
        expect(retryAfterMs).toBeGreaterThan(5000);
        expect(retryAfterMs).toBeLessThanOrEqual(10_000);
      },
    },
  }),
  overStdio({
    config: { ...common, pool: { callTimeoutMs: 1000 } },
    shows: {
      'pool.callTimeoutMs': async (server) => {
        const { result } = await server.run(inTurn(['wait', { ms: 3000 }]));
        expect(result).toMatchObject([['deadline_exceeded', expect.any(String), null]]);
      },
    },
  }),
  overStdio({
    // Only a server that never answers, because one that does may take longer to start.
    config: {
      ...common,
      mcpServers: {
        silent: badServerEntry('silent'),
        mute: { ...badServerEntry('silent'), connectTimeoutMs: 1100 },
      },
      pool: { connectTimeoutMs: 1000 },
    },
    shows: {
      'pool.connectTimeoutMs': (server) => expectGivenUp(server, 'silent', '1 s'),
      'mcpServers.<name>.connectTimeoutMs': (server) => expectGivenUp(server, 'mute', '1.1 s'),
    },
  }),
];
