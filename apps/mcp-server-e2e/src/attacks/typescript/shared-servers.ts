import assert from 'node:assert/strict';

import { until } from '../../server-under-test/until.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import { all, call, codeOf } from './tool-calls.js';

/** More than the pool can run and queue together. */
const programs = 10;
const callsAtOnce = 32;
const maxQueued = 200;

/** Attacks on upstream servers that programs share. */
export const sharedServers: readonly ProgramAttack[] = [
  {
    id: 'PRX-46',
    what: 'make a server unavailable to others: twenty calls in a row that it answers with tool errors and protocol errors',
    stoppedBy: 'server (a server that answers with an error counts as working)',
    async attack(arena) {
      const { result } = await arena.run(
        `const codes = []; for (let i = 0; i < 20; i++) await callMCPTool(i < 5 ? "mcp__fixture__fail" : "mcp__fixture__refuse").catch(({ code }) => codes.push(code)); return codes;`,
        all,
      );
      assert.equal((result as string[]).length, 20);
      assert.ok(!(result as string[]).includes('unavailable'), JSON.stringify(result));
      assert.equal(await codeOf(arena, call('mcp__fixture__echo'), ['*']), 'done');
    },
  },
  {
    id: 'PRX-47',
    what: 'block the calls of others: ten programs that each keep 32 slow calls to one server running',
    stoppedBy: 'server (places are reserved for each server; one execution gets a third of them at most)',
    async attack(arena) {
      const stop = new AbortController();
      const slow = `await Promise.all(Array.from({ length: ${callsAtOnce} }, () => callMCPTool("mcp__fixture__slow", { ms: 120_000 }).catch(() => {})));
        await new Promise((resolve) => setTimeout(resolve, 120_000));`;
      const request = { signal: stop.signal };
      const runs = Array.from({ length: programs }, () =>
        arena.run(slow, { ...all, timeoutMs: 120_000, request }).catch(() => undefined),
      );
      try {
        await until(async () => (await arena.health()).connectionPool.waiting === maxQueued);
        const other = { ...all, timeoutMs: 10_000 };
        const { result, error } = await arena.run(
          'return await callMCPTool("mcp__other__echo", { a: 1 })',
          other,
        );
        assert.deepEqual(result, { a: 1 }, error);
      } finally {
        stop.abort();
        await Promise.all(runs);
        await until(async () => (await arena.health()).executions.running === 0);
        await arena.takeUpstreamCalls();
      }
    },
  },
];
