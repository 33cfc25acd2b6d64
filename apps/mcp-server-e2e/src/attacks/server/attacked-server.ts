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
import { configOf, environmentOf, createSurroundings } from '../arena/surroundings.js';

/** A server that has not ended after this time counts as hung. */
const startTimeoutMs = 20_000;

/** Starts a server for one attack; checks that it still works afterwards, and has revealed no secret. */
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

/** A start that must be refused: the content of the home, and the environment. */
export interface BadStart {
  /** Content of the configuration file. */
  config?: string | Uint8Array;
  prepare?: (places: Places, file: string) => Promise<unknown>;
  env?: Record<string, string>;
}

/** A start, and the expected message. */
export type Refusal = readonly [BadStart, RegExp | string];

/** Checks that each start is refused with exit code 1, in a short message without a secret. */
export async function eachRefused(starts: readonly Refusal[]): Promise<void> {
  // Uses two homes at the same time because there are many starts.
  const halves = [0, 1].map((half) => starts.filter((_start, index) => index % 2 === half));
  const unexpected = await Promise.all(halves.map(unexpectedRefusals));
  assert.deepEqual(unexpected.flat(), []);
}

/** The messages that differ from the expected ones. */
async function unexpectedRefusals(starts: readonly Refusal[]): Promise<object[]> {
  const { places, traps } = await createSurroundings();
  const unexpected: object[] = [];
  try {
    for (const [start, expected] of starts) {
      const said = await refusal(start, places);
      const isExpected = typeof expected === 'string' ? said === expected : expected.test(said);
      if (!isExpected) unexpected.push({ said, expected });
    }
    assert.deepEqual(traps.caught, [], 'Something connected to a trap.');
    await checkFiles(places);
    return unexpected;
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
    timeout: startTimeoutMs,
    killSignal: 'SIGKILL',
  });
  const said = { answers: '', log: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.answers += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.log += chunk.toString()));
  // With a usable configuration it would start, and end with exit code 0.
  child.stdin.end();
  await once(child, 'close');
  assert.deepEqual([child.exitCode, said.answers], [1, ''], said.log.slice(0, 1000));
  assert.match(said.log, /^code-executor-mcp: /);
  assert.ok(said.log.length < 10_000, `The message has ${said.log.length} characters.`);
  checkSecrets(said, [places.canary]);
  const message = said.log
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{"level"'))
    .join('\n');
  return message.replaceAll(file, 'FILE').slice('code-executor-mcp: '.length);
}

/** Checks that the files of the server are readable only by its user, and contain no secret. */
export async function checkOwnFiles({ home, canary }: Places): Promise<void> {
  const own = join(home, '.code-executor');
  const paths = (await readdir(own, { recursive: true })).map((name) => join(own, name));
  for (const path of [own, ...paths]) {
    const stats = await lstat(path);
    assert.equal((stats.mode & 0o777).toString(8), stats.isDirectory() ? '700' : '600', path);
    if (stats.isFile()) assert.ok(!(await readFile(path, 'latin1')).includes(canary), path);
  }
}

/** Options to start a server with these mounts; empty if bubblewrap does not work here. */
export function inMounts(mounts: (places: Places) => readonly string[]): StdioOptions[] {
  if (!isolationsUnderTest().includes('strict')) return [];
  return [{ wrapper: (places) => ['bwrap', '--dev-bind', '/', '/', ...mounts(places)] }];
}

/** The path of a file of a server that was started with `inMounts`, as this process can reach it. */
export async function pathInMounts({ pid }: StdioArena, path: string): Promise<string> {
  const [server] = (await descendantsOf(pid)).filter(({ commandLine }) => commandLine.includes(` ${bin} `));
  return `/proc/${server?.pid ?? 0}/root${path}`;
}
