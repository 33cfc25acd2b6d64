/** Runs Nx targets of all projects as checks: one per task, with its output if it failed. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { cleanEnvironment, root, runBin } from '../run.mjs';

const cache = join(root, '.nx', 'cache');

/** A run that takes longer hangs, because something keeps a test process alive. A small machine needs a third of it. */
const timeoutMs = 45 * 60_000;

/** Runs the targets in all projects and resolves with one check per task, cached ones included. */
export async function runTasks(targets, env = {}) {
  const startedAt = Date.now();
  // Two projects at once, because tests start real processes and would time out on a small machine.
  const args = ['run-many', '-t', ...targets, '--parallel=2', '--output-style=static'];
  const nx = await runBin('nx', args, {
    env: cleanEnvironment({ NX_CACHE_DIRECTORY: cache, ...env }),
    timeoutMs,
    onLine: (line) => showProgress(line, targets),
  });
  const tasks = (await tasksSince(startedAt)).filter((task) => targets.includes(task.target));
  const checks = await Promise.all(tasks.map(toCheck));
  const isExplained = checks.some((check) => check.failed > 0);
  if (nx.code !== 0 && !isExplained) {
    checks.push({ name: `nx ${targets.join(' ')}`, passed: 0, failed: 1, detail: nx.output });
  }
  return checks;
}

/** Prints each task when it has ended, to show progress. */
function showProgress(line, targets) {
  const [, task, target] = /^> nx run (\S+?:(\S+))/.exec(line) ?? [];
  if (targets.includes(target)) process.stderr.write(`  … ${task}\n`);
}

/** The tasks of the run that Nx has just finished; none if it did not get that far. */
async function tasksSince(startedAt) {
  try {
    const { run, tasks } = JSON.parse(await readFile(join(cache, 'run.json'), 'utf8'));
    return Date.parse(run.endTime) >= startedAt ? tasks : [];
  } catch {
    return [];
  }
}

async function toCheck({ taskId, hash, status }) {
  if (status === 0) return { name: taskId, passed: 1, failed: 0 };
  const detail = await readFile(join(cache, 'terminalOutputs', hash), 'utf8').catch(() => 'No output.');
  return { name: taskId, passed: 0, failed: 1, detail };
}
