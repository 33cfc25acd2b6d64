import assert from 'node:assert/strict';
import { chmod, chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { until } from '../../server-under-test/until.js';
import { recordsIn } from '../arena/audit-records.js';
import type { Places } from '../arena/places.js';
import type { StdioArena, StdioOptions } from '../arena/stdio-arena.js';
import { checkOwnFiles, inMounts, withAttacked } from './attacked-server.js';
import type { ServerAttack } from './server-attack.js';

const ownFolder = ({ home }: Places) => join(home, '.code-executor');
const dayMs = 86_400_000;

/** Without a home, the configuration must be named. */
const named = { CODE_EXECUTOR_CONFIG_PATH: '.code-executor.json' };

/** Homes in which nothing can be stored, and the message about each. */
const unusableHomes: readonly [StdioOptions, said: string][] = [
  [{ prepare: (places) => writeFile(ownFolder(places), '') }, ': its folder is a file; '],
  [{ env: { HOME: '', ...named } }, 'There is no home folder for the audit log; '],
  ...inMounts((places) => ['--ro-bind', ownFolder(places), ownFolder(places)]).map(
    (start): [StdioOptions, string] => [
      { ...start, prepare: (places) => mkdir(ownFolder(places), { mode: 0o700 }) },
      ': the file system is read-only; ',
    ],
  ),
  ...inMounts((places) => ['--size', '4096', '--tmpfs', ownFolder(places)]).map(
    (start): [StdioOptions, string] => [
      { ...start, prepare: (places) => mkdir(ownFolder(places), { mode: 0o700 }) },
      ': the disk is full; ',
    ],
  ),
  // A user that is unknown to the machine has no home either.
  ...inMounts(() => ['--unshare-user', '--uid', '12345', 'env', '-u', 'HOME']).map(
    (start): [StdioOptions, string] => [
      { ...start, env: named },
      'There is no home folder for the audit log; ',
    ],
  ),
];

/** Checks that a tool can be called. */
async function works(server: StdioArena): Promise<void> {
  const program = 'return await callMCPTool("mcp__fixture__echo", { a: 1 })';
  const report = await server.run(program, { allowedTools: ['mcp__fixture__echo'] });
  assert.deepEqual(report.result, { a: 1 });
}

/** Shifts the server's wall clock. */
async function jump(server: StdioArena, offsetMs: number): Promise<void> {
  await writeFile(join(server.places.stage, 'clock'), String(offsetMs));
  process.kill(server.pid, 'SIGUSR2');
  await until(async () => {
    const { timestamp } = await server.health();
    return Math.abs(Date.parse(timestamp) - Date.now() - offsetMs) < dayMs / 2;
  });
}

/** The audit file for the day of that time. */
const auditFile = (ms: number) => `audit-${new Date(ms).toISOString().slice(0, 10)}.jsonl`;

/** Checks that time limits still work, and that each record is in the file of its day. */
async function keepsTime(server: StdioArena): Promise<void> {
  const startedMs = Date.now();
  await works(server);
  const offsets = [400 * dayMs, -400 * dayMs, 0];
  for (const offsetMs of offsets) {
    const slow = server.run('await new Promise((go) => setTimeout(go, 500)); return "whole"');
    const endless = server.run('for (;;);', { timeoutMs: 1000 });
    await jump(server, offsetMs);
    assert.equal((await slow).result, 'whole');
    assert.equal((await endless).errorCode, 'deadline_exceeded');
    await works(server);
  }
  const folder = join(ownFolder(server.places), 'audit-logs');
  const names = await readdir(folder);
  // If the test runs over midnight, a day of the server becomes two.
  const possible = offsets.map((offsetMs) => [startedMs, Date.now()].map((ms) => auditFile(ms + offsetMs)));
  assert.ok(
    names.every((name) => possible.flat().includes(name)),
    names.join(),
  );
  assert.ok(
    possible.every((either) => either.some((name) => names.includes(name))),
    names.join(),
  );
  let executions = 0;
  for (const name of names) {
    for (const { type, timestamp } of recordsIn(await readFile(join(folder, name), 'utf8'))) {
      assert.equal(name, auditFile(Date.parse(timestamp)));
      if (type === 'execution') executions++;
    }
  }
  assert.equal(executions, 1 + 3 * offsets.length);
}

/** Attacks through the machine that the server runs on. */
export const machine: readonly ServerAttack[] = [
  {
    id: 'CFG-17',
    what: 'run on a full disk, with a home that is read-only, a file or missing, with umask 000, with a clock that jumps by years',
    stoppedBy:
      'server (it goes on without storing, and says so; files are 0600; durations use the monotonic clock)',
    async attack() {
      for (const [options, said] of unusableHomes) {
        await withAttacked(options, async (server) => {
          for (let count = 0; count < 20 && !server.output.log.includes(said); count++) await works(server);
          assert.ok(server.output.log.includes(said), `${said}\n${server.output.log}`);
        });
      }
      const openUmask = () => ['/bin/sh', '-c', 'umask 000; exec "$@"', 'sh'];
      await withAttacked({ wrapper: openUmask }, async (server) => {
        await works(server);
        await until(async () => (await readdir(ownFolder(server.places))).includes('schema-cache.json'));
        await checkOwnFiles(server.places);
      });
      const clock = new URL('./jumping-clock.mjs', import.meta.url).href;
      await withAttacked({ env: { NODE_OPTIONS: `--import=${clock}` } }, keepsTime);
    },
  },
  {
    id: 'CFG-26',
    what: "take over the server's temp folder after it was cleaned up, to make the server run what is there",
    stoppedBy: 'server (it uses no folder that other users can enter)',
    async attack() {
      await withAttacked({}, async (server) => {
        assert.equal((await server.run('return 1')).result, 1);
        const { temp } = server.places;
        const find = async () => (await readdir(temp)).find((name) => name.startsWith('code-executor-'));
        let name: string | undefined;
        await until(async () => (name = await find()) !== undefined);
        const taken = join(temp, String(name));
        // A process that is just starting would still write to the folder that it has checked.
        await until(async () => ((await server.health()).spares?.ready ?? 0) > 0);
        await rm(taken, { recursive: true, maxRetries: 10 });
        await mkdir(taken);
        await chmod(taken, 0o777);
        // Only root can give it to another user.
        if (process.getuid?.() === 0) await chown(taken, 65_534, 65_534);
        for (let round = 0; round < 3; round++) {
          assert.equal((await server.run('return 2')).result, 2);
          await until(async () => ((await server.health()).spares?.ready ?? 0) > 0);
        }
        assert.deepEqual([...(await readdir(taken))], []);
        await rm(taken, { recursive: true });
      });
    },
  },
];
