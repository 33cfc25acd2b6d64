import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { until } from '../../server-under-test/until.js';
import type { Arena } from './arena.js';
import { takeRecords } from './audit-records.js';
import { changesOf, type Places } from './places.js';

/** The folder of the product. */
export const project = fileURLToPath(new URL('../../../../..', import.meta.url)).replace(/\/$/, '');
/**
 * The most memory that the server may ever have had, in MiB. The heaviest attacks take up to 340 alone; in a whole
 * run, in which garbage of earlier ones is still there, 440 to 526 were seen.
 */
const maxServerMb = 600;
const untilCleanMs = 30_000;

/** Checks what must hold after every attack, whatever its outcome. */
export async function checkAftermath(arena: Arena): Promise<void> {
  await arena.checkWorks();
  await arena.takeUpstreamCalls();
  assert.ok(!arena.output.answers.includes(project), 'An answer contains the folder of the product.');
  await checkTraces(arena);
  checkMemory(arena.pid);
}

/**
 * Checks what an attack leaves behind, which works even after the server has ended: no secret was revealed or stored, no
 * trap was touched, no file was changed.
 */
export async function checkTraces(arena: Arena): Promise<void> {
  const records = await takeRecords(arena.places);
  checkSecrets({ ...arena.takeOutput(), records }, arena.secrets);
  assert.deepEqual(arena.takeCaught(), [], 'Something connected to a trap.');
  await checkFiles(arena.places);
}

/** Checks that no output of a server contains a secret. */
export function checkSecrets(output: Record<string, string>, secrets: readonly string[]): void {
  for (const [where, text] of Object.entries(output)) {
    for (const secret of [...secrets.flatMap(spellingsOf), 'root:x:0:0']) {
      assert.ok(!text.includes(secret), `A secret is in the ${where}.`);
    }
  }
}

/** Checks that no file was changed or left behind. */
export async function checkFiles(places: Places): Promise<void> {
  assert.deepEqual(await changesLeft(places), [], 'Files were changed or left behind.');
}

/** Checks that a server never used more memory than it may. */
export function checkMemory(pid: number): void {
  assert.ok(peakMemoryMb(pid) <= maxServerMb, `The server had ${peakMemoryMb(pid)} MiB.`);
}

const spellingsOf = (secret: string) => [secret, Buffer.from(secret).toString('base64')];

/** The lasting changes; the folder of a process disappears some time after the process. */
async function changesLeft(places: Places): Promise<string[]> {
  const deadline = Date.now() + untilCleanMs;
  let changes: string[] = [];
  await until(async () => {
    const all = await changesOf(places);
    const scratch = all.filter((change) => change.startsWith('temp/code-executor-'));
    // In portable isolation, the spare process has one folder of its own.
    changes = all.filter((change) => scratch.length > 1 || !scratch.includes(change));
    return changes.length === 0 || Date.now() > deadline;
  });
  return changes;
}

function peakMemoryMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024);
}
