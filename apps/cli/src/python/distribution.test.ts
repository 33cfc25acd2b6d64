import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pyodideFolder } from '@code-executor/sandbox-pyodide';

import { type CliRun, runCli, startCli } from '../run-cli.test.support.js';
import { listen } from './local-index.test.support.js';
import { buildWheel, type TestWheel } from './wheel.test.support.js';

interface Lock {
  info: { abi_version: string };
  packages: Record<string, { file_name: string; sha256: string; depends: string[] }>;
}

const readLock = async (folder: string) =>
  JSON.parse(await readFile(join(folder, 'pyodide-lock.json'), 'utf8')) as Lock;
const tag = 'cp314-cp314-pyemscripten_2026_0_wasm32';
const figures = buildWheel({
  name: 'Figures',
  version: '3.1',
  tag,
  metadata: ['Requires-Dist: windows-only', 'Requires-Dist: numbers2; extra == "more"'],
});
const numbers = buildWheel({ name: 'numbers1', tag });
const more = buildWheel({ name: 'numbers2', tag });

let home: string;
let info: Lock['info'];
const open: { close(): Promise<void> }[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'cli-'));
  ({ info } = await readLock(pyodideFolder()));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
  await rm(home, { recursive: true, force: true });
});

const entryOf = ({ fileName, sha256 }: TestWheel, depends: string[] = []) => ({
  file_name: fileName,
  sha256,
  version: '1.0',
  depends,
});
/** Serves a lock file, and wheels beside it. */
async function serve(wheels: readonly TestWheel[], lock: object): Promise<string> {
  const server = await listen((request, response) => {
    const path = request.url ?? '';
    const wheel = wheels.find(({ fileName }) => path === `/full/${fileName}`);
    if (path === '/full/pyodide-lock.json') response.end(JSON.stringify(lock));
    else if (wheel) response.end(wheel.bytes);
    else response.writeHead(404).end();
  });
  open.push(server);
  return `${server.origin}/full/pyodide-lock.json`;
}
const packages = () => ({
  figures: entryOf(figures, ['numbers1']),
  numbers1: entryOf(numbers),
  numbers2: entryOf(more),
  'figures-tests': { ...entryOf(figures), file_name: 'figures-tests.zip' },
});
const add = (indexUrl: string, ...args: string[]) =>
  runCli(home, 'python', 'add', '--index-url', indexUrl, ...args);
const added = async () => {
  const lock = await readLock(join(home, 'python', 'packages'));
  return Object.fromEntries(Object.entries(lock.packages).map(([name, { depends }]) => [name, depends]));
};
/** Runs `python add` without an index; what it downloads from Pyodide's CDN comes from `cdn`. */
function addByDefault(cdn: string | undefined, ...args: string[]): Promise<CliRun> {
  const preload = new URL('./fake-cdn.test.support.mjs', import.meta.url).href;
  const env = {
    NODE_OPTIONS: `--import=${preload}`,
    ...(cdn !== undefined && { FAKE_CDN: cdn }),
  };
  return startCli(home, { env }, 'python', 'add', ...args).ended;
}

test('takes the file and the dependencies of a package from a lock file of Pyodide', async () => {
  const url = await serve([figures, numbers, more], { info, packages: packages() });
  expect((await add(url, 'figures')).stdout).toBe('Added figures 3.1\nAdded numbers1 1.0\n');
  expect(await added()).toEqual({ figures: ['numbers1'], numbers1: [] });
  expect((await add(url, 'figures[more]')).stdout).toBe('Added figures 3.1\nAdded numbers2 1.0\n');
});

test('adds a file only if it has the hash that the lock file gives', async () => {
  const lock = { info, packages: { ...packages(), numbers1: { ...entryOf(numbers), sha256: more.sha256 } } };
  const { code, stderr } = await add(await serve([figures, numbers], lock), 'figures');
  expect(code).toBe(1);
  expect(stderr).toContain(`${numbers.fileName} is not what the index`);
  expect(await readdir(join(home, 'python', 'packages'))).toEqual([]);
});

test.each<[string, (lock: Lock) => object, string]>([
  [
    'is for another Pyodide',
    (lock) => ({ ...lock, info: { abi_version: '2025_0' } }),
    'its ABI is "2025_0", and the installed one\'s is',
  ],
  ['is not a lock file', () => [], 'is for another Pyodide: its ABI is undefined'],
  ['lacks the package', ({ info }) => ({ info, packages: {} }), 'it has no wheel of that name at all'],
  [
    'has no hash for it',
    (lock) => ({ ...lock, packages: { figures: { ...lock.packages['figures'], sha256: '' } } }),
    'it has no wheel of that name at all',
  ],
  [
    'lacks a dependency',
    (lock) => ({ ...lock, packages: { figures: lock.packages['figures'] } }),
    'has no wheel of numbers1 that fits: it has no wheel of that name at all. Pure Python packages come from a simple index: give one as --index-url, or set executors.python.indexUrl. It is needed by figures.',
  ],
])('refuses a lock file that %s', async (_what, change, problem) => {
  const url = await serve([figures], change({ info, packages: packages() }));
  const { code, stderr } = await add(url, 'figures');
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(problem) });
});

test('without an index, adds packages of the installed Pyodide and checks them against its own lock file', async () => {
  const { packages: own } = await readLock(pyodideFolder());
  const six = own['six']?.file_name ?? '';
  const asked: string[] = [];
  const cdn = await listen((request, response) => {
    asked.push(request.url ?? '');
    response.end('something else');
  });
  open.push(cdn);
  const { code, stderr } = await addByDefault(cdn.origin, 'six');
  expect(code).toBe(1);
  expect(stderr).toMatch(`${six} is not what the index Pyodide `);
  expect(asked).toEqual([expect.stringMatching(/^\/pyodide\/v[\d.]+\/full\/six-/)]);
});

test('without network, names the files that are needed and their address', async () => {
  const { packages: own } = await readLock(pyodideFolder());
  const { code, stdout, stderr } = await addByDefault(undefined, 'pandas');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /pandas-\S+ cannot be reached \(ENOTFOUND\)\. Without network, download these files from https:\/\/cdn\.jsdelivr\.net\/pyodide\/v[\d.]+\/full\/ on another machine, put them into a folder, and give it as --index-url: /,
  );
  for (const name of ['pandas', 'numpy', 'python-dateutil', 'six']) {
    expect(stderr).toContain(own[name]?.file_name ?? 'nothing');
  }
});
