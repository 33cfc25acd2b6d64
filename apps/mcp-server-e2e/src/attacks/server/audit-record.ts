import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { link, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { until } from '../../server-under-test/until.js';
import { recordsIn } from '../arena/audit-records.js';
import type { Places } from '../arena/places.js';
import type { StdioArena } from '../arena/stdio-arena.js';
import { inMounts, pathInMounts, withAttacked } from './attacked-server.js';
import type { ServerAttack } from './server-attack.js';

/** A single file, so that midnight makes no difference. */
const path = 'stage/record/all.jsonl';
const folderOf = ({ stage }: Places) => join(stage, 'record');
const fileOf = (places: Places) => join(folderOf(places), 'all.jsonl');

/** What is in the place of the audit log, and the reason that the server gives. */
const obstacles: readonly [why: string, lay: (places: Places) => Promise<unknown>][] = [
  ['a link is in its place', (places) => symlink(join(places.secrets, 'data'), fileOf(places))],
  ['a link is in its place', (places) => symlink('nowhere', fileOf(places))],
  ['a link is in its place', (places) => symlink('/dev/full', fileOf(places))],
  ['it has a second name (a hard link)', (places) => link(join(places.secrets, 'data'), fileOf(places))],
  ['it is not a regular file', (places) => Promise.resolve(execFileSync('mkfifo', [fileOf(places)]))],
  ['a folder is in its place', (places) => mkdir(fileOf(places))],
  [
    'its folder is a link',
    async (places) => {
      await rm(folderOf(places), { recursive: true });
      await symlink('../secrets', folderOf(places));
    },
  ],
  [
    'its folder is a file',
    async (places) => {
      await rm(folderOf(places), { recursive: true });
      await writeFile(folderOf(places), '');
    },
  ],
];

const gap = (why: string) =>
  `The record was not written to all.jsonl: ${why}; see to that place, or choose another.`;
const countOf = (text: string, part: string) => text.split(part).length - 1;

async function clear(places: Places): Promise<void> {
  await rm(folderOf(places), { recursive: true, force: true });
  await mkdir(folderOf(places));
}

/** A program whose execution is visible, and which contains text that no record may contain. */
const call = `return await callMCPTool("mcp__fixture__echo", { argument: "plain-argument" }) // plain-code`;
const runCall = (server: StdioArena) => server.run(call, { allowedTools: ['mcp__fixture__echo'] });

/** Checks that programs continue to run, and that the start and the end of each gap are reported once. */
async function runsWithGaps(server: StdioArena): Promise<void> {
  const { places } = server;
  for (const [index, [why, lay]] of obstacles.entries()) {
    await clear(places);
    await lay(places);
    assert.deepEqual((await runCall(server)).result, { argument: 'plain-argument' });
    await until(() => countOf(server.output.log, 'The audit log has a gap. ') === index + 1);
    assert.ok(server.output.log.includes(`The audit log has a gap. ${gap(why)}`), why);
    await clear(places);
    await runCall(server);
    await until(() => countOf(server.output.log, 'Audit records are written again') === index + 1);
  }
}

/** Checks that no program runs without records, and that each program that ran has all of them. */
async function refusesWithoutRecord(server: StdioArena): Promise<void> {
  const { places } = server;
  for (const [why, lay] of obstacles) {
    await clear(places);
    await lay(places);
    const { success, errorCode, error } = await runCall(server);
    assert.deepEqual(
      { success, errorCode, error },
      {
        success: false,
        errorCode: 'failed_precondition',
        error: `Nothing is done without an audit record (audit.required). ${gap(why)}`,
      },
    );
    assert.deepEqual(await server.takeUpstreamCalls(), []);
    await clear(places);
    assert.equal((await runCall(server)).success, true);
    assert.equal((await server.takeUpstreamCalls()).length, 1);
    const text = await readFile(fileOf(places), 'utf8');
    assert.doesNotMatch(text, /plain-/);
    // The tools are listed and pinned beside the run.
    const recorded = recordsIn(text).filter(({ type }) => type !== 'discovery' && type !== 'pinning');
    assert.deepEqual(
      recorded.map(({ type, action }) => action ?? type),
      ['started', 'tool_call', 'execution'],
    );
  }
}

/** Runs programs until the disk is full; checks that all of them are recorded, and that it continues with free space. */
async function refusesOnFullDisk(server: StdioArena): Promise<void> {
  const file = await pathInMounts(server, fileOf(server.places));
  let report = await server.run('return 1');
  let count = 0;
  for (; report.success && count < 100; count++) report = await server.run('return 1');
  assert.equal(
    report.error,
    `Nothing is done without an audit record (audit.required). ${gap('the disk is full')}`,
  );
  const text = await readFile(file, 'utf8');
  const started = recordsIn(text.slice(0, text.lastIndexOf('\n') + 1)).filter(
    ({ action }) => action === 'started',
  );
  assert.equal(started.length - 1, count);
  await writeFile(file, '');
}

/** Attacks on the audit log. */
export const auditRecord: readonly ServerAttack[] = [
  {
    id: 'PRX-29',
    what: 'leave no record: a link to a secret, a hard link, a pipe, a folder, a full disk in its place, with and without audit.required',
    stoppedBy:
      'server (only regular files of its user; a gap is reported, and with audit.required nothing runs)',
    async attack() {
      await withAttacked({ config: { audit: { path } }, prepare: clear }, runsWithGaps);
      await withAttacked(
        { config: { audit: { path, required: true } }, prepare: clear },
        refusesWithoutRecord,
      );
      for (const start of inMounts((places) => ['--size', '8192', '--tmpfs', folderOf(places)]))
        await withAttacked(
          { ...start, config: { audit: { path, required: true } }, prepare: clear },
          refusesOnFullDisk,
        );
    },
  },
];
