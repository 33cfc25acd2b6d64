import { setMaxListeners } from 'node:events';

import type { ToolSchema } from '@code-executor/contracts';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { CallQueue } from './call-queue.js';

const servers = ['a', 'b', 'c'];
const toolOf = (server: string): ToolSchema => ({ name: `mcp__${server}__tool`, server, parameters: {} });
const aCall = fc.record({
  server: fc.constantFrom(...servers),
  executionId: fc.option(fc.constantFrom('one', 'two', 'three'), { nil: undefined }),
});
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function queueOf(maxConcurrent: number, options = {}) {
  const limits = { maxConcurrent, maxQueued: 1000, queueTimeoutMs: 60_000 };
  return new CallQueue({ ...limits, serverNames: () => servers, onRefused: () => undefined, ...options });
}

describe('the places for calls', () => {
  test('every call has its turn and keeps its place in the queue, in whatever order calls come and end', async () => {
    const some = fc.array(aCall, { maxLength: 40 });
    const property = fc.asyncProperty(
      some,
      fc.integer({ min: 1, max: 12 }),
      fc.gen(),
      async (calls, max, draw) => {
        const queue = queueOf(max);
        const running: (() => void)[] = [];
        const started: number[] = [];
        calls.forEach(({ server, executionId }, i) => {
          const options = executionId === undefined ? {} : { executionId };
          void queue.turn(toolOf(server), options).then((end) => (running.push(end), started.push(i)));
        });
        for (let ended = 0; ended < calls.length; ended += 1) {
          await nextTurn();
          expect(queue.stats).toEqual({
            active: running.length,
            waiting: calls.length - started.length,
            max,
          });
          expect(running.length).toBeLessThanOrEqual(max);
          const at = draw(fc.nat, { max: running.length - 1 });
          running.splice(at, 1)[0]?.();
        }
        expect(queue.stats).toEqual({ active: 0, waiting: 0, max });
        for (const { server, executionId } of calls) {
          const alike = (i: number) => calls[i]?.server === server && calls[i].executionId === executionId;
          const own = started.filter(alike);
          expect(own).toEqual([...own].sort((one, other) => one - other));
        }
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });

  test('a server without calls has a place for a new execution, whatever places others hold', async () => {
    const many = fc.array(aCall, { minLength: 30, maxLength: 60 });
    const property = fc.asyncProperty(many, fc.integer({ min: 6, max: 24 }), async (calls, max) => {
      const queue = queueOf(max);
      const stop = new AbortController();
      const { signal } = stop;
      setMaxListeners(0, signal);
      for (const { server, executionId } of calls) {
        if (server === 'c') continue;
        const options = { signal, ...(executionId !== undefined && { executionId }) };
        queue.turn(toolOf(server), options).catch(() => undefined);
      }
      await nextTurn();
      let hasTurn = false;
      void queue.turn(toolOf('c'), { executionId: 'new' }).then(() => (hasTurn = true));
      await nextTurn();
      expect(hasTurn).toBe(true);
      stop.abort();
    });
    await fc.assert(property, { numRuns: 100 });
  });
});
