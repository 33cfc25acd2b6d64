/** Checks what killed servers have written: that files are whole, and that the audit log has all that was answered. */
import { readdir, readFile, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { AuditLog } from '@code-executor/audit-log';

import { isAlive } from './processes.mjs';

const homeOf = (folder) => join(folder, '.code-executor');

/** JSON files that are incomplete. There should be none, because they are written elsewhere and then renamed. */
export async function tornFiles(folder) {
  const torn = [];
  for (const entry of await readdir(homeOf(folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.json')) continue;
    const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
    if (!isJson(text)) torn.push(`torn file ${entry.name}`);
  }
  return torn;
}

/** Pins and the schema cache are written beside the first runs, and take over the locks that they meet. */
const takeOverMs = 3000;

/** Locks of ended servers that still exist after the next server has started. */
export async function leftLocks(folder) {
  const found = async () => {
    const names = await readdir(homeOf(folder), { recursive: true });
    const locks = names.filter((name) => /\block\b/i.test(basename(name)));
    const owners = await Promise.all(
      // One that is just released has no owner either.
      locks.map((name) =>
        readFile(join(homeOf(folder), name), 'utf8').then(Number.parseInt, () => undefined),
      ),
    );
    return locks.filter((_name, index) => owners[index] !== undefined && !isAlive(owners[index]));
  };
  for (let waited = 0; waited < takeOverMs && (await found()).length > 0; waited += 50) await delay(50);
  return (await found()).map((name) => `lock ${name}`);
}

/** Files that were half written when the server was killed. Ages them by an hour, so that the next write removes them. */
export async function halfWrittenFiles(folder) {
  const longAgo = Date.now() / 1000 - 3600;
  const names = (await readdir(homeOf(folder))).filter((name) => name.endsWith('.tmp'));
  for (const name of names) await utimes(join(homeOf(folder), name), longAgo, longAgo);
  return names.map((name) => `half written file ${name}`);
}

/** Incomplete lines of the audit log, and answered executions and calls that are missing in it. */
export async function gapsOfAudit(folder, answers) {
  const log = new AuditLog({ path: join(homeOf(folder), 'audit-logs') });
  const { problems } = await log.verify();
  const gaps = problems.map(({ file, line, reason }) => `${file}, line ${line}: ${reason}`);
  const counts = new Map();
  for (const { type, executionId } of await log.search({ limit: Infinity })) {
    const key = `${type} ${executionId}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const { executionId, toolCallSummary = [] } of answers) {
    const calls = toolCallSummary.reduce((sum, { callCount }) => sum + callCount, 0);
    for (const [type, expected] of Object.entries({ execution: 1, tool_call: calls })) {
      const found = counts.get(`${type} ${executionId}`) ?? 0;
      if (found !== expected) gaps.push(`${found} of ${expected} ${type} records of ${executionId}`);
    }
  }
  await log.close();
  return gaps;
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
