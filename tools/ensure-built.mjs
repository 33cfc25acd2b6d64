/** Installs and builds a fresh clone. Uses only Node built-ins until the packages are installed. */
import { statSync } from 'node:fs';
import { join } from 'node:path';

import { root, runBin, runNpm } from './run.mjs';

const modifiedMs = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? -1;

async function step(label, work) {
  const started = performance.now();
  // Only steps that take longer than a second are announced.
  const announce = setTimeout(() => process.stderr.write(`${label} …\n`), 1000);
  const result = await work();
  clearTimeout(announce);
  const seconds = (performance.now() - started) / 1000;
  if (seconds > 1) process.stderr.write(`${label}: ${seconds.toFixed(1)} s\n`);
  if (result.code === 0) return;
  process.stderr.write(`${result.output.trimEnd()}\n${label} failed.\n`);
  process.exit(1);
}

/** Runs `npm ci` if nothing is installed, or the lockfile is newer. */
export async function ensureInstalled() {
  if (modifiedMs('node_modules/.package-lock.json') >= modifiedMs('package-lock.json')) return;
  await step('Installing packages (npm ci)', () =>
    runNpm(['ci', '--include=dev', '--no-audit', '--no-fund']),
  );
}

/** Installs, then builds what changed; Nx takes the rest from its cache. */
export async function ensureBuilt() {
  await ensureInstalled();
  await step('Building', () => runBin('nx', ['run-many', '-t', 'build', '--output-style=static']));
}
