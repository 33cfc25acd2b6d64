import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, expect, test } from '@jest/globals';

import { createHome } from '../server-under-test/home.js';
import { StartedServer } from '../server-under-test/started-server.js';
import { until } from '../server-under-test/until.js';
import { recordingServer } from '../upstream-servers/entries.js';

const rounds = 5;
const executions = 13;
/** Calls of each execution; 400 in total: 12 times 31, and 28. */
const callsOf = (execution: number) => (execution === 0 ? 28 : 31);
const roundCalls = 400;
/** The defaults of `pool.maxConcurrent` and `pool.maxQueued`. */
const placesOfRound = 100 + 200;
/** Tolerance for garbage that was not collected yet. */
const maxGrowthMb = 48;

interface Outcome {
  answered: number[];
  refused: { index: number; code: string; retryAfterMs: number }[];
}

let server: StartedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** A program that makes its calls at once, alternating between two servers. */
const program = (round: number, execution: number) => `
const answered: number[] = [], refused: object[] = [];
await Promise.all(Array.from({ length: ${callsOf(execution)} }, async (_, index) => {
  const server = index % 2 === 0 ? tools.even : tools.odd;
  try {
    await server.note({ execution: ${round * executions + execution}, index });
    answered.push(index);
  } catch ({ code, retryAfterMs }) {
    refused.push({ index, code, retryAfterMs });
  }
}));
return { answered: answered.sort((a, b) => a - b), refused };`;

const indexes = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

test('of 2,000 calls, 400 at once from 13 executions, those beyond the limits are refused and all others arrive in order', async () => {
  const home = await createHome();
  const gate = join(home, 'gate');
  const arrivals = { even: join(home, 'even.jsonl'), odd: join(home, 'odd.jsonl') };
  const config = {
    policy: { defaultAllowedTools: ['*'] },
    mcpServers: {
      even: recordingServer(arrivals.even, gate),
      odd: recordingServer(arrivals.odd, gate),
    },
  };
  await writeFile(join(home, '.code-executor.json'), JSON.stringify(config));
  const running = (server = await StartedServer.start({}, {}, home));
  const queue = async () => (await running.call('health', {})).structured['connectionPool'];

  const outcomes: Outcome[] = [];
  let startMb = 0;
  for (let round = 0; round < rounds; round++) {
    const reports = Array.from({ length: executions }, (_, execution) =>
      running.run(program(round, execution), { timeoutMs: 60_000 }),
    );
    await until(async () => (await refusalsOnRecord(home)) === (round + 1) * (roundCalls - placesOfRound));
    expect(await queue()).toMatchObject({ active: 100, waiting: 200, max: 100 });
    await writeFile(gate, '');
    outcomes.push(...(await Promise.all(reports)).map(({ result }) => result as unknown as Outcome));
    await rm(gate);
    expect(await queue()).toMatchObject({ active: 0, waiting: 0 });
    if (round === 0) startMb = await residentMb(running.pid);
  }
  expect((await residentMb(running.pid)) - startMb).toBeLessThan(maxGrowthMb);

  const refused = outcomes.flatMap((outcome) => outcome.refused);
  expect(refused).toHaveLength(rounds * (roundCalls - placesOfRound));
  for (const each of refused) expect(each).toMatchObject({ code: 'unavailable', retryAfterMs: 60_000 });
  const seen = { even: await readArrivals(arrivals.even), odd: await readArrivals(arrivals.odd) };
  outcomes.forEach(({ answered }, execution) => {
    for (const [parity, server] of [seen.even, seen.odd].entries()) {
      const asked = indexes(0, callsOf(execution % executions)).filter((index) => index % 2 === parity);
      const got = answered.filter((index) => index % 2 === parity);
      // Once the queue is full no call is accepted, so the first calls were accepted, and arrived in order.
      expect(got).toEqual(asked.slice(0, got.length));
      expect(server.filter((call) => call.execution === execution).map(({ index }) => index)).toEqual(got);
    }
  });
  expect(seen.even.length + seen.odd.length).toBe(rounds * placesOfRound);
});

async function readArrivals(file: string): Promise<{ execution: number; index: number }[]> {
  return (await linesOf(file)).map((line) => {
    return (JSON.parse(line) as { args: { execution: number; index: number } }).args;
  });
}

/** How many calls were refused by the full queue, according to the audit log. */
async function refusalsOnRecord(home: string): Promise<number> {
  const folder = join(home, '.code-executor', 'audit-logs');
  const names = await readdir(folder).catch(() => []);
  const lines = (await Promise.all(names.map((name) => linesOf(join(folder, name))))).flat();
  return lines.filter((line) => line.includes('"type":"queue"') && line.includes('"action":"full"')).length;
}

async function linesOf(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8')).split('\n').slice(0, -1);
}

async function residentMb(pid: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
