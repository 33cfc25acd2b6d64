/** Kills the server with SIGKILL at random moments while executions run, and looks for what it left behind. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { isAlive } from './processes.mjs';
import { gapsOfAudit, halfWrittenFiles, leftLocks, tornFiles } from './record.mjs';
import { leftovers, startVictim } from './victim.mjs';

/** Calls a tool, so that the schema cache and the audit log are written. */
const first = "await callMCPTool('mcp__everything__echo', { message: 'x' }); return 6 * 7";

/** Resolves with `{ ok, kills, seed, executed, findings }`. */
export async function killServers(kills, seed) {
  const random = randomNumbers(seed);
  const folder = await mkdtemp(join(tmpdir(), 'code-executor-chaos-'));
  const findings = [];
  const answers = [];
  let executed = 0;
  try {
    for (let round = 0; round < kills; round++) {
      const isolation = round % 2 === 0 ? 'strict' : 'portable';
      const victim = await startVictim(folder, isolation);
      // Must work at once, whatever happened to the server before.
      const answer = await victim.execute(first);
      if (answer !== 42)
        findings.push({ round, isolation, what: `the next start answered ${JSON.stringify(answer)}` });
      else executed++;
      for (const what of [...(await leftFolders(victim.pid)), ...(await leftLocks(folder))]) {
        findings.push({ round, isolation, what });
      }
      for (const code of victim.programs(random)) victim.execute(code).catch(() => undefined);
      const afterMs = Math.floor(random() * 120);
      await delay(afterMs);
      victim.kill();
      const left = [...(await leftovers(victim)), ...(await tornFiles(folder))];
      for (const what of left) findings.push({ round, isolation, afterMs, what });
      answers.push(...victim.answers);
      await halfWrittenFiles(folder);
      // Without cache and pins, the next server writes them again, and may be killed while it does.
      for (const name of ['schema-cache.json', 'pinned-tools.json'])
        await rm(join(folder, '.code-executor', name), { force: true });
      if (process.stderr.isTTY) process.stderr.write(`\r${round + 1}/${kills} killed`);
    }
    if (process.stderr.isTTY) process.stderr.write('\n');
    const last = await startVictim(folder, 'portable');
    await last.execute(first);
    for (const what of await leftFolders(last.pid)) findings.push({ what });
    await last.close();
    const left = [leftLocks, tornFiles, halfWrittenFiles].map((find) => find(folder));
    for (const what of (await Promise.all(left)).flat()) findings.push({ what });
    for (const what of await gapsOfAudit(folder, [...answers, ...last.answers])) findings.push({ what });
  } catch (error) {
    findings.push({ what: `a server failed before it was killed: ${error.message}` });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return { ok: findings.length === 0, kills, seed, executed, answers: answers.length, findings };
}

/** Private folders of ended servers that still exist after another server has run an execution. */
async function leftFolders(livingPid) {
  const names = (await readdir(tmpdir())).filter((name) => /^code-executor-\d+-\w+$/.test(name));
  const owners = await Promise.all(
    names.map((name) => readFile(join(tmpdir(), name, 'owner'), 'utf8').then(Number, () => undefined)),
  );
  return names.flatMap((name, index) => {
    const owner = owners[index];
    return owner === undefined || owner === livingPid || isAlive(owner) ? [] : [`folder ${name}`];
  });
}

/** Mulberry32: the same sequence of numbers in [0, 1) for the same seed. */
function randomNumbers(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
