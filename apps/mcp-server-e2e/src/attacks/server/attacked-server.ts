import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { isolationsUnderTest } from '@code-executor/contracts/testing';

import { bin } from '../../server-under-test/bin.js';
import { removeHome } from '../../server-under-test/home.js';
import { descendantsOf } from '../../server-under-test/processes.js';
import { checkFiles, checkMemory, checkSecrets, checkTraces } from '../arena/aftermath.js';
import type { Places } from '../arena/places.js';
import { StdioArena, type StdioOptions } from '../arena/stdio-arena.js';
import { configOf, environmentOf, surround } from '../arena/surroundings.js';

/** A server that says nothing for so long hangs. */
const patienceMs = 20_000;

/** Attacks a server of its own; afterwards it still works, and has told no secret. */
export async function withAttacked(
  options: StdioOptions,
  attack: (server: StdioArena) => Promise<void>,
): Promise<void> {
  const server = await StdioArena.start('portable', options);
  try {
    await attack(server);
    assert.equal((await server.run('return 6 * 7')).result, 42);
    checkMemory(server.pid);
  } finally {
    await server.close({ keepHome: true });
  }
  try {
    await checkTraces(server);
  } finally {
    await removeHome(server.places.home);
  }
}

/** A start that has to be refused: what is put into the home, and the environment. */
export interface BadStart {
  /** Text of the configuration file. */
  config?: string | Uint8Array;
  prepare?: (places: Places, file: string) => Promise<unknown>;
  env?: Record<string, string>;
}

/** A start, and what is said of it. */
export type Refusal = readonly [BadStart, RegExp | string];

/** Makes starts that are refused: with exit code 1 once the client is gone, in few words and without a secret. */
export async function eachRefused(starts: readonly Refusal[]): Promise<void> {
  // In two homes, for they are many.
  const halves = [0, 1].map((half) => starts.filter((_start, index) => index % 2 === half));
  const others = await Promise.all(halves.map(refusedOtherwise));
  assert.deepEqual(others.flat(), []);
}

/** What is said otherwise than expected. */
async function refusedOtherwise(starts: readonly Refusal[]): Promise<object[]> {
  const { places, traps } = await surround();
  const others: object[] = [];
  try {
    for (const [start, expected] of starts) {
      const said = await refusal(start, places);
      const isExpected = typeof expected === 'string' ? said === expected : expected.test(said);
      if (!isExpected) others.push({ said, expected });
    }
    assert.deepEqual(traps.caught, [], 'Somebody talked to a trap.');
    await checkFiles(places);
    return others;
  } finally {
    traps.close();
    await removeHome(places.home);
  }
}

async function refusal({ config, prepare, env }: BadStart, places: Places): Promise<string> {
  const file = join(places.home, '.code-executor.json');
  await rm(file, { recursive: true, force: true });
  await writeFile(file, config ?? JSON.stringify(configOf(places)), { mode: 0o600 });
  await prepare?.(places, file);
  const child = spawn(process.execPath, [bin], {
    cwd: places.home,
    env: { ...environmentOf(places, 'portable'), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: patienceMs,
    killSignal: 'SIGKILL',
  });
  const said = { answers: '', log: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.answers += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.log += chunk.toString()));
  // What can be used starts, and ends with exit code 0.
  child.stdin.end();
  await once(child, 'close');
  assert.deepEqual([child.exitCode, said.answers], [1, ''], said.log.slice(0, 1000));
  assert.match(said.log, /^code-executor-mcp: /);
  assert.ok(said.log.length < 10_000, `It complains in ${said.log.length} characters.`);
  checkSecrets(said, [places.canary]);
  const complaint = said.log
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{"level"'))
    .join('\n');
  return complaint.replaceAll(file, 'FILE').slice('code-executor-mcp: '.length);
}

/** What the server keeps is for its user only, and holds no secret. */
export async function checkOwnFiles({ home, canary }: Places): Promise<void> {
  const own = join(home, '.code-executor');
  const paths = (await readdir(own, { recursive: true })).map((name) => join(own, name));
  for (const path of [own, ...paths]) {
    const stats = await lstat(path);
    assert.equal((stats.mode & 0o777).toString(8), stats.isDirectory() ? '700' : '600', path);
    if (stats.isFile()) assert.ok(!(await readFile(path, 'latin1')).includes(canary), path);
  }
}

/** Starts a server in other mounts, where bubblewrap works; else there is no such start. */
export function inMounts(mounts: (places: Places) => readonly string[]): StdioOptions[] {
  if (!isolationsUnderTest().includes('strict')) return [];
  return [{ wrapper: (places) => ['bwrap', '--dev-bind', '/', '/', ...mounts(places)] }];
}

/** Where a server that was started so has a file. */
export async function pathInMounts({ pid }: StdioArena, path: string): Promise<string> {
  const [server] = (await descendantsOf(pid)).filter(({ commandLine }) => commandLine.includes(` ${bin} `));
  return `/proc/${server?.pid ?? 0}/root${path}`;
}
