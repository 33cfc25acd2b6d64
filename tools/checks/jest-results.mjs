/** The tests of all projects, counted from the file that Jest writes and Nx keeps with its cached runs. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { listProjects } from '../projects.mjs';
import { runTasks } from './nx-tasks.mjs';

/** Runs all projects' tests; one check per project, with as many passed and failed as it has tests. */
export async function runTests(env) {
  const projects = listProjects();
  const resultsFile = (project) => join(project.path, 'test-results.json');
  // What is there after the run is of this run, or restored from the cache for the same inputs.
  await Promise.all(projects.map((project) => rm(resultsFile(project), { force: true })));
  const tasks = await runTasks(['test'], env);
  const checks = await Promise.all(
    projects.map(async (project) => {
      const task = tasks.find((candidate) => candidate.name === `${project.name}:test`);
      const text = await readFile(resultsFile(project), 'utf8').catch(() => undefined);
      return checkOf(`${project.name}:test`, text, task);
    }),
  );
  const others = tasks.filter((task) => !checks.some((check) => check.name === task.name));
  return [...checks, ...others];
}

/** One project's check from the text of its results file and from what Nx says about its task. */
export function checkOf(name, text, task) {
  if (text === undefined) {
    const detail =
      task?.detail ??
      'It left no test-results.json: its tests did not run (if it says so again: npx nx reset).';
    return { name, passed: 0, failed: 1, detail };
  }
  const results = JSON.parse(text);
  const problems = results.testResults.flatMap(problemsOf);
  // A green file beside a red task: Jest broke after its last test.
  if (problems.length === 0 && (task === undefined || task.failed > 0 || !results.success)) {
    problems.push(task?.detail ?? 'Its tests did not run to the end.');
  }
  return { name, passed: results.numPassedTests, failed: problems.length, detail: problems.join('\n') };
}

/** Every test of one file that did not pass; skipped counts as not passed, for a skipped test proves nothing. */
function problemsOf({ name: file, message, assertionResults }) {
  const unfinished = assertionResults.filter((test) => test.status !== 'passed');
  // A file that could not even be loaded has a message, but no tests.
  if (unfinished.length === 0 && message && assertionResults.length === 0) return [`✗ ${file}\n${message}`];
  return unfinished.map(({ fullName, status, failureMessages }) => {
    const reason =
      status === 'failed'
        ? failureMessages.map(withoutForeignLines).join('\n')
        : `It did not run: it is ${status}.`;
    return `✗ ${fullName}\n  ${file}\n${reason}`;
  });
}

/** The message, with those stack lines that lie in this repository. */
function withoutForeignLines(message) {
  const isForeign = (line) => /^\s+at .*(node_modules|node:internal|<anonymous>\)$)/.test(line);
  return message
    .split('\n')
    .filter((line) => !isForeign(line))
    .join('\n');
}
