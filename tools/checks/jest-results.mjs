/** Counts the tests of all projects from the file that Jest writes and Nx stores with its cached runs. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { listProjects } from '../projects.mjs';
import { runTasks } from './nx-tasks.mjs';

/** Runs the tests of all projects. Resolves with one check per project, which counts its tests. */
export async function runTests(env) {
  const projects = listProjects();
  const resultsFile = (project) => join(project.path, 'test-results.json');
  // After the run, the file is from this run, or restored from the cache for the same inputs.
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

/** Creates the check of one project from the text of its results file and the outcome of its Nx task. */
export function checkOf(name, text, task) {
  if (text === undefined) {
    const detail =
      task?.detail ??
      'There is no test-results.json, so its tests did not run. If this happens again, run: npx nx reset';
    return { name, passed: 0, failed: 1, detail };
  }
  const results = JSON.parse(text);
  const problems = results.testResults.flatMap(problemsOf);
  // The task failed but no test did, so Jest crashed after the last test.
  if (problems.length === 0 && (task === undefined || task.failed > 0 || !results.success)) {
    problems.push(task?.detail ?? 'Its tests did not run to the end.');
  }
  return { name, passed: results.numPassedTests, failed: problems.length, detail: problems.join('\n') };
}

/** Every test of one file that did not pass. Skipped tests count too, because they prove nothing. */
function problemsOf({ name: file, message, assertionResults }) {
  const unfinished = assertionResults.filter((test) => test.status !== 'passed');
  // A file that could not be loaded has a message but no tests.
  if (unfinished.length === 0 && message && assertionResults.length === 0) return [`✗ ${file}\n${message}`];
  return unfinished.map(({ fullName, status, failureMessages }) => {
    const reason =
      status === 'failed'
        ? failureMessages.map(withoutForeignLines).join('\n')
        : `It did not run: it is ${status}.`;
    return `✗ ${fullName}\n  ${file}\n${reason}`;
  });
}

/** The message, with only the stack lines of this repository. */
function withoutForeignLines(message) {
  const isForeign = (line) => /^\s+at .*(node_modules|node:internal|<anonymous>\)$)/.test(line);
  return message
    .split('\n')
    .filter((line) => !isForeign(line))
    .join('\n');
}
