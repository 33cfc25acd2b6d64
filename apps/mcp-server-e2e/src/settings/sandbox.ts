import { expect } from '@jest/globals';

import { type StartedServer } from '../server-under-test/started-server.js';
import { until } from '../server-under-test/until.js';
import { oncePer, overStdio } from './effect-check.js';
import { noSpares } from './upstream.js';

export async function healthOf(server: StartedServer) {
  const { structured } = await server.call('health', {});
  return structured as unknown as {
    executions: { running: number; waiting: number; max: number; finished: number };
    sandboxes: { language: string; spares?: { ready: number } }[];
  };
}

export async function sparesOf(server: StartedServer, language: string): Promise<number | undefined> {
  return (await healthOf(server)).sandboxes.find((sandbox) => sandbox.language === language)?.spares?.ready;
}

/** Runs one long program and sends two more: one waits, the other is refused by the full queue. */
const crowd = oncePer(async (server: StartedServer) => {
  const leave = new AbortController();
  const state = async () => (await healthOf(server)).executions;
  const first = server.run('for (;;) {}', {}, { signal: leave.signal }).catch(() => undefined);
  await until(async () => (await state()).running === 1);
  const second = server.run('return 2');
  await until(async () => (await state()).waiting === 1);
  const during = await state();
  const third = await server.run('return 3');
  const late = await second;
  leave.abort();
  await first;
  return { during, third, late };
});

async function untilSixteenWait(server: StartedServer): Promise<void> {
  await server.run('return 1');
  await until(async () => (await sparesOf(server, 'typescript')) === 16);
}

export const sandboxChecks = [
  overStdio({
    config: { sandbox: { isolation: 'portable', maxOutputChars: 1000, spares: noSpares } },
    instead: { 'sandbox.isolation': 'strict' },
    shows: {
      'sandbox.isolation': async (server) =>
        expect(await server.run('return 1')).toMatchObject({ success: true, isolation: 'portable' }),
      'sandbox.maxOutputChars': async (server) => {
        const { output, truncated } = await server.run('console.log("x".repeat(5000))');
        expect(truncated).toBe(true);
        expect(output.replaceAll(/[^x]/g, '').length).toBeLessThanOrEqual(1000);
      },
    },
  }),
  overStdio({
    config: { sandbox: { maxConcurrent: 1, maxQueued: 1, queueTimeoutMs: 5000, spares: noSpares } },
    shows: {
      'sandbox.maxConcurrent': async (server) =>
        expect((await crowd(server)).during).toEqual({ running: 1, waiting: 1, max: 1, finished: 0 }),
      'sandbox.maxQueued': async (server) => {
        const { error } = (await crowd(server)).third;
        expect(error).toBe('All 1 executions are busy and 1 more are waiting; try again later.');
      },
      'sandbox.queueTimeoutMs': async (server) => {
        const { error } = (await crowd(server)).late;
        expect(error).toBe('The execution waited 5000 ms for its turn in vain; try again later.');
      },
    },
  }),
  overStdio({
    config: { sandbox: { maxFinished: 2, keepFinishedMs: 3000, spares: noSpares } },
    shows: {
      'sandbox.maxFinished': async (server) => {
        for (let i = 0; i < 3; i++) await server.run('return 1');
        expect((await healthOf(server)).executions.finished).toBe(2);
      },
      'sandbox.keepFinishedMs': async (server) => {
        await server.run('return 1');
        await until(async () => (await healthOf(server)).executions.finished === 0);
      },
    },
  }),
  overStdio({
    config: { sandbox: { spares: { typescript: 1, python: 0, idleMs: 4000 } } },
    shows: {
      'sandbox.spares.idleMs': async (server) => {
        await server.run('return 1');
        await until(async () => (await sparesOf(server, 'typescript')) === 1);
        await until(async () => (await sparesOf(server, 'typescript')) === 0);
      },
    },
  }),
  overStdio({
    config: { sandbox: { spares: { typescript: 16, python: 0, maxMemoryMb: 4096 } } },
    shows: {
      'sandbox.spares.typescript': untilSixteenWait,
      // About 43 MB each: more than the default limit.
      'sandbox.spares.maxMemoryMb': untilSixteenWait,
    },
  }),
];
