import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { descendantsOf, until } from '../started-server.test.support.js';
import type { Arena } from './arena.js';
import { takeRecords } from './audit-records.js';
import { changesOf, type Places } from './places.js';

/** The folder of the product. */
export const project = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
/** The most memory that the server may ever have had, in MiB. */
const maxServerMb = 512;
const untilCleanMs = 30_000;

/** What has to be true after every attack, whatever came of it. */
export async function checkAftermath(server: Arena): Promise<void> {
  const { canary } = server.places;
  const next = await server.run('return 6 * 7');
  assert.deepEqual({ value: next.result, error: next.error }, { value: 42, error: undefined });
  await checkProcesses(server);
  await server.takeUpstreamCalls();
  const words = server.takeWords();
  const records = await takeRecords(server.places);
  checkSecrets({ ...words, records }, [canary]);
  assert.ok(!words.answers.includes(project), 'The folder of the product stands in an answer.');
  assert.deepEqual(server.takeCaught(), [], 'Somebody talked to a trap.');
  await checkFiles(server.places);
  assert.equal(server.takePipe(), canary, 'The pipe that the server was started with was used.');
  checkMemory(server.pid);
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

/** Nothing runs any more but one spare and the upstream servers. */
async function checkProcesses(server: Arena): Promise<void> {
  const deadline = Date.now() + untilCleanMs;
  let sandboxes: string[] = [];
  await until(async () => {
    const { executions, spares } = await server.health();
    const children = await descendantsOf(server.pid);
    sandboxes = children
      .map(({ commandLine }) => commandLine)
      .filter((commandLine) => !commandLine.includes('upstream-server.mjs'));
    // In strict isolation, a sandbox is bubblewrap, bubblewrap again, and Deno.
    const isClean =
      executions.running === 0 &&
      spares?.ready === 1 &&
      sandboxes.length <= (server.mode === 'strict' ? 3 : 1);
    return isClean || Date.now() > deadline;
  });
  assert.ok(Date.now() <= deadline, `These processes are left:\n${sandboxes.join('\n')}`);
}

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
