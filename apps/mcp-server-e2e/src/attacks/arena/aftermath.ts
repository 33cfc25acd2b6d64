import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { until } from '../../server-under-test/until.js';
import type { Arena } from './arena.js';
import { takeRecords } from './audit-records.js';
import { changesOf, type Places } from './places.js';

/** The folder of the product. */
export const project = fileURLToPath(new URL('../../../../..', import.meta.url)).replace(/\/$/, '');
/** The most memory that the server may ever have had, in MiB. */
const maxServerMb = 512;
const untilCleanMs = 30_000;

/** What has to be true after every attack, whatever came of it. */
export async function checkAftermath(arena: Arena): Promise<void> {
  await arena.checkWorks();
  await arena.takeUpstreamCalls();
  assert.ok(!arena.words.answers.includes(project), 'The folder of the product stands in an answer.');
  await checkTraces(arena);
  checkMemory(arena.pid);
}

/** What an attack leaves, also where the server has ended: no secret is told or kept, no trap touched, no file changed. */
export async function checkTraces(arena: Arena): Promise<void> {
  const records = await takeRecords(arena.places);
  checkSecrets({ ...arena.takeWords(), records }, arena.secrets);
  assert.deepEqual(arena.takeCaught(), [], 'Somebody talked to a trap.');
  await checkFiles(arena.places);
}

/** No secret stands in anything that a server has said. */
export function checkSecrets(words: Record<string, string>, secrets: readonly string[]): void {
  for (const [where, text] of Object.entries(words)) {
    for (const secret of [...secrets.flatMap(spellingsOf), 'root:x:0:0']) {
      assert.ok(!text.includes(secret), `A secret stands in the ${where}.`);
    }
  }
}

/** No file was changed or left. */
export async function checkFiles(places: Places): Promise<void> {
  assert.deepEqual(await changesLeft(places), [], 'Files were changed or left.');
}

/** A server never had more memory than it may have. */
export function checkMemory(pid: number): void {
  assert.ok(peakMemoryMb(pid) <= maxServerMb, `The server had ${peakMemoryMb(pid)} MiB.`);
}

const spellingsOf = (secret: string) => [secret, Buffer.from(secret).toString('base64')];

/** What is changed for good; the folder of a process goes when that is gone. */
async function changesLeft(places: Places): Promise<string[]> {
  const deadline = Date.now() + untilCleanMs;
  let changes: string[] = [];
  await until(async () => {
    const all = await changesOf(places);
    const scratch = all.filter((change) => change.startsWith('temp/code-executor-'));
    // In portable isolation, the spare has a folder of its own.
    changes = all.filter((change) => scratch.length > 1 || !scratch.includes(change));
    return changes.length === 0 || Date.now() > deadline;
  });
  return changes;
}

function peakMemoryMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024);
}
