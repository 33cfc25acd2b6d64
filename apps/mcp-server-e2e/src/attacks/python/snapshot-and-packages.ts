import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { withServer } from '../../server-under-test/started-server.js';
import { checkMemory } from '../arena/aftermath.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import { StdioArena } from '../arena/stdio-arena.js';
import { pythonFolder, withPythonServer } from './python-server.js';
import { lockWith, wheelWith } from './wheel.js';

const answer = '6 * 7';

/** The names of a server's snapshots, with the hashes of their bytes. */
async function snapshotsOf(server: StdioArena): Promise<[name: string, hash: string][]> {
  const folder = pythonFolder(server);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.bin'));
  const hashOf = async (name: string) =>
    createHash('sha256')
      .update(await readFile(join(folder, name)))
      .digest('hex');
  return Promise.all(names.map(async (name) => [name, await hashOf(name)] as [string, string]));
}

/** A snapshot in which some Python names are changed. */
function poison(whole: Buffer): Buffer {
  const poisoned = Buffer.from(whole);
  const planted = Buffer.from('__planted_1_');
  for (let at = whole.indexOf('__builtins__'); at !== -1; at = whole.indexOf('__builtins__', at + 1)) {
    planted.copy(poisoned, at);
  }
  assert.ok(!poisoned.equals(whole));
  return poisoned;
}

/** Attacks on the snapshot and the packages that an interpreter starts from. */
export const snapshotAndPackages: readonly ProgramAttack[] = [
  {
    id: 'PY-29',
    what: 'swap, truncate or poison the memory snapshot in the home folder, while the server runs and before it starts; put a pipe, a device, a folder or 2 GB in its place',
    stoppedBy: 'server (its name is the hash of its content; another is made, or Python starts without one)',
    async attack(arena) {
      await withPythonServer(arena, 0, async (server) => {
        assert.equal((await server.runPython(answer)).result, 42);
        const [first, ...others] = await snapshotsOf(server);
        assert.ok(first && others.length === 0);
        const file = join(pythonFolder(server), first[0]);
        // A forged snapshot of the same size.
        const poisoned = poison(await readFile(file));
        await truncate(file, 1000);
        assert.equal((await server.runPython(answer)).result, 42);
        // The snapshot that was created instead.
        for (const [name] of await snapshotsOf(server)) await rm(join(pythonFolder(server), name));
        assert.equal((await server.runPython(answer)).result, 42);
        await withServer(StdioArena.start(arena.mode), async (next) => {
          await mkdir(pythonFolder(next), { recursive: true });
          await writeFile(join(pythonFolder(next), first[0]), poisoned);
          const [pipe, device, folder, huge] = ['1', '2', '3', '4'].map((digit) =>
            join(pythonFolder(next), first[0].replace(/[0-9a-f]{64}/, digit.repeat(64))),
          ) as [string, string, string, string];
          execFileSync('mkfifo', [pipe]);
          await symlink('/dev/zero', device);
          await mkdir(folder);
          await writeFile(huge, '');
          await truncate(huge, 2_000_000_000);
          assert.equal((await next.runPython(answer)).result, 42);
          const snapshots = await snapshotsOf(next);
          assert.equal(snapshots.length, 1);
          for (const [name, hash] of snapshots) assert.ok(name.includes(hash), name);
          checkMemory(next.pid);
        });
      });
    },
  },
  {
    id: 'PY-12',
    what: 'leave no place for the snapshot: a file, a link that leads nowhere, a folder that cannot be written',
    stoppedBy: 'server (Python starts without it, slowly)',
    async attack({ mode }) {
      for (const spoil of [
        (folder: string) => writeFile(folder, 'x'),
        (folder: string) => symlink('/absent/absent', folder),
        (folder: string) => mkdir(folder).then(() => chmod(folder, 0o500)),
      ]) {
        await withServer(StdioArena.start(mode), async (server) => {
          const folder = pythonFolder(server);
          await mkdir(join(folder, '..'), { recursive: true });
          await spoil(folder);
          const { result, error } = await server.runPython(answer);
          assert.equal(result, 42, error);
        });
      }
    },
  },
  {
    id: 'PY-11',
    what: 'add a wheel that leaves its folder: ../ and absolute names, code at install time; a lock file that lies',
    stoppedBy: "Python's files are in its memory; Deno; OS",
    async attack(arena) {
      await withPythonServer(arena, 0, async (server) => {
        const { secrets, home, port } = server.places;
        const folder = join(pythonFolder(server), 'packages');
        await mkdir(folder, { recursive: true });
        const wheel = wheelWith({
          'evil/__init__.py': 'value = 42',
          '../../../../../../../../tmp/zip-slip': 'x',
          [`../../../../../../../../../../${secrets}/new`]: 'x',
          [`${secrets}/absolute`]: 'x',
          'sitecustomize.py': 'import js; js.Deno.readDirSync("/")',
          'evil.pth': 'import js; js.globalThis.installed = 1',
          'evil-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n',
          'evil-1.0.dist-info/WHEEL': 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
          'evil-1.0.dist-info/RECORD': '',
        });
        await writeFile(join(folder, 'evil-1.0-py3-none-any.whl'), wheel);
        const trueHash = createHash('sha256').update(wheel).digest('hex');
        for (const [fileName, sha256] of [
          ['evil-1.0-py3-none-any.whl', trueHash],
          ['evil-1.0-py3-none-any.whl', '0'.repeat(64)],
          ['../../../secrets/secret.txt', '0'.repeat(64)],
          [`file://${secrets}/secret.txt`, ''],
          [`http://127.0.0.1:${port}/evil-1.0-py3-none-any.whl`, ''],
        ] as const) {
          await writeFile(join(folder, 'pyodide-lock.json'), await lockWith({ evil: { fileName, sha256 } }));
          const report = await server.runPython(
            'import js\nfrom evil import value\n[value, hasattr(js.globalThis, "installed")]',
          );
          assert.ok(!JSON.stringify(report).includes(server.places.canary));
          if (report.success) assert.deepEqual(report.result, [42, false]);
          else assert.ok(sha256 !== trueHash, report.error);
        }
        const names = await readdir(secrets);
        assert.ok(!names.includes('new') && !names.includes('absolute'), names.join());
        assert.ok(!(await readdir(home)).includes('zip-slip'));
        assert.deepEqual(server.takeCaught(), []);
      });
    },
  },
];
