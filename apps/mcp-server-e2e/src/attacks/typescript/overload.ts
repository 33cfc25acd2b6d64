import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

import { until } from '../../server-under-test/until.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import type { StdioArena } from '../arena/stdio-arena.js';
import { forging } from './forgery.js';
import { all, call } from './tool-calls.js';

/** How many programs run at once. */
const programs = 16;
/**
 * How long the server may take to answer a ping meanwhile, in ms. On an idle machine it takes a few ms; but these
 * programs share the machine's few cores with the server, which once needed up to a minute to parse what they send.
 */
const maxPingMs = 3000;

/**
 * Runs the same in as many programs as run at once; checks that the server keeps answering others. Its memory is checked
 * after the attack.
 */
async function runInAll<T>(arena: StdioArena, act: () => Promise<T>): Promise<T[]> {
  let isDone = false as boolean;
  const acts = Promise.all(Array.from({ length: programs }, act)).finally(() => (isDone = true));
  let longestMs = 0;
  while (!isDone) {
    longestMs = Math.max(longestMs, await arena.ping());
    await Promise.race([acts, delay(50)]).catch(() => undefined);
  }
  const results = await acts;
  assert.ok(longestMs <= maxPingMs, `The server was silent for ${Math.round(longestMs)} ms.`);
  return results;
}

/** A program that sends frames which the server has to hold until earlier ones are answered, and reads no answers. */
const hoarding = (frame: string) =>
  `${forging} const one = ${frame}; for (let id = 2; id < 60; id++) frame('{"type":"call","id":' + id + one); for (;;);`;
const dense = '"{},".repeat(340_000)';
/** The possible content of a frame of one megabyte, after its id. */
const hoards = [
  `',"method":"listTools","params":{"a":[' + ${dense} + '1]}}'`,
  `',"method":"listTools","params":{"a":[' + ${dense} + '1]},"late":1}'`,
  `',"method":"callTool","params":{"name":"mcp__fixture__slow","args":{"ms":60000,"a":[' + ${dense} + '1]}}}'`,
  `',"method":"none","params":{"a":"' + "x".repeat(1_000_000) + '"}}'`,
];

/** The number of results, each of 5 MB. */
const results = 12;

/** Attacks by all programs at once that make the server hold or do too much. */
export const overload: readonly ProgramAttack[] = [
  {
    id: 'PIP-15',
    what: 'make the server hold 58 frames of 1 MB for each of 16 programs, most of which become large when parsed',
    stoppedBy:
      'server (the cost of a frame is known before it is parsed; the total of all waiting frames is limited)',
    async attack(arena) {
      for (const hoard of hoards) {
        await runInAll(arena, () => arena.run(hoarding(hoard), { ...all, timeoutMs: 5000 }));
      }
    },
  },
  {
    id: 'PIP-16',
    what: 'receive 64 MB of results in each of 16 programs, and read none of them',
    stoppedBy:
      'server (64 MB of unread replies in total; beyond that, a program with more than 4 MB gets no more)',
    async attack(arena) {
      const program = `${forging} for (let id = 2; id < ${2 + results}; id++) frame('{"type":"call","id":' + id + ',"method":"callTool","params":{"name":"mcp__' + (id % 2 ? "fixture" : "flood") + '__big","args":{"bytes":5000000}}}'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;
      const enough = new AbortController();
      const options = { ...all, timeoutMs: 120_000, request: { signal: enough.signal } };
      let isOver = false as boolean;
      const ends = runInAll(arena, () => assert.rejects(arena.run(program, options), /enough/));
      const over = ends.finally(() => (isOver = true));
      // Each upstream server accepts a call when its previous answer was read.
      await until(async () => isOver || (await arena.upstreamCalls()).length >= programs * results);
      enough.abort(new Error('enough'));
      await over;
    },
  },
  {
    id: 'PRX-45',
    what: 'make upstream servers answer 16 programs at once with texts that become twenty times as large when parsed',
    stoppedBy: 'server (the cost of a message is known before it is parsed)',
    async attack(arena) {
      const program = `try { ${call('mcp__fixture__dense', { bytes: 16_000_000 })} } catch (error) { return error.code }`;
      const reports = await runInAll(arena, () => arena.run(program, { ...all, timeoutMs: 60_000 }));
      assert.deepEqual([...new Set(reports.map(({ result }) => result))], ['resource_exhausted']);
    },
  },
  {
    id: 'PRX-48',
    what: 'make upstream servers answer 16 programs at once with text that is JSON and becomes large when parsed',
    stoppedBy: 'server (the sandbox parses texts, with the time and memory of the program)',
    async attack(arena) {
      const program = call('mcp__fixture__denseText', { bytes: 15_000_000 });
      const reports = await runInAll(arena, () => arena.run(program, { ...all, timeoutMs: 60_000 }));
      // The result does not fit into the memory of a program.
      assert.ok(reports.every(({ success }) => !success));
    },
  },
];
