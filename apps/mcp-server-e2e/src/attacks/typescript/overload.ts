import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

import { until } from '../../server-under-test/until.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import type { StdioArena } from '../arena/stdio-arena.js';
import { forging } from './forgery.js';
import { all, call } from './tool-calls.js';

/** So many programs run at once. */
const programs = 16;
/**
 * The longest that the server may take for the smallest answer meanwhile, in ms. On a calm machine it is a few; but
 * these programs share the machine's few cores with the server, and parsing what they send took it up to a minute.
 */
const maxPingMs = 3000;

/** As many programs as run at once do the same; the server answers others all the time. Its memory is looked at afterwards. */
async function byAll<T>(arena: StdioArena, act: () => Promise<T>): Promise<T[]> {
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

/** Sends frames that the server has to keep until it has answered what came before, and reads no answers. */
const hoarding = (frame: string) =>
  `${forging} const one = ${frame}; for (let id = 2; id < 60; id++) frame('{"type":"call","id":' + id + one); for (;;);`;
const dense = '"{},".repeat(340_000)';
/** What a frame of a megabyte may consist of, behind its id. */
const hoards = [
  `',"method":"listTools","params":{"a":[' + ${dense} + '1]}}'`,
  `',"method":"listTools","params":{"a":[' + ${dense} + '1]},"late":1}'`,
  `',"method":"callTool","params":{"name":"mcp__fixture__slow","args":{"ms":60000,"a":[' + ${dense} + '1]}}}'`,
  `',"method":"none","params":{"a":"' + "x".repeat(1_000_000) + '"}}'`,
];

/** Of 5 MB each. */
const results = 12;

/** What programs can make the server hold or do, all of them at once. */
export const overload: readonly ProgramAttack[] = [
  {
    id: 'PIP-15',
    what: 'have the server keep 58 frames of 1 MB for each of 16 programs, most of them large once they are parsed',
    stoppedBy: 'server (what a frame costs is known before it is parsed; so much of all that wait)',
    async attack(arena) {
      for (const hoard of hoards) {
        await byAll(arena, () => arena.run(hoarding(hoard), { ...all, timeoutMs: 5000 }));
      }
    },
  },
  {
    id: 'PIP-16',
    what: 'have 64 MB of results for each of 16 programs, and read none of them',
    stoppedBy: 'server (64 MB of unread replies for all; who has more than 4 MB then gets no more)',
    async attack(arena) {
      const program = `${forging} for (let id = 2; id < ${2 + results}; id++) frame('{"type":"call","id":' + id + ',"method":"callTool","params":{"name":"mcp__' + (id % 2 ? "fixture" : "flood") + '__big","args":{"bytes":5000000}}}'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;
      const enough = new AbortController();
      const options = { ...all, timeoutMs: 120_000, request: { signal: enough.signal } };
      let isOver = false as boolean;
      const ends = byAll(arena, () => assert.rejects(arena.run(program, options), /enough/));
      const over = ends.finally(() => (isOver = true));
      // Each upstream server takes a call when its answer to the one before was taken.
      await until(async () => isOver || (await arena.upstreamCalls()).length >= programs * results);
      enough.abort(new Error('enough'));
      await over;
    },
  },
  {
    id: 'PRX-45',
    what: 'have upstream servers answer 16 programs at once with texts that become twenty times as large once they are parsed',
    stoppedBy: 'server (what a message costs is known before it is parsed)',
    async attack(arena) {
      const program = `try { ${call('mcp__fixture__dense', { bytes: 16_000_000 })} } catch (error) { return error.code }`;
      const reports = await byAll(arena, () => arena.run(program, { ...all, timeoutMs: 60_000 }));
      assert.deepEqual([...new Set(reports.map(({ result }) => result))], ['resource_exhausted']);
    },
  },
  {
    id: 'PRX-48',
    what: 'have upstream servers answer 16 programs at once with text that is JSON, and large once it is parsed',
    stoppedBy: 'server (the sandbox parses texts: it takes the time and memory of the program)',
    async attack(arena) {
      const program = call('mcp__fixture__denseText', { bytes: 15_000_000 });
      const reports = await byAll(arena, () => arena.run(program, { ...all, timeoutMs: 60_000 }));
      // It does not fit into the memory of a program.
      assert.ok(reports.every(({ success }) => !success));
    },
  },
];
