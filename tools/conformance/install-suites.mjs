/** The suites and the Node that they need, in a folder of their own. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { root, run } from '../run.mjs';

const folder = join(root, 'tools', 'conformance', 'suites');
const modules = join(folder, 'node_modules');

/** Installs what the lock file names, once. Rejects with the output of npm if that fails. */
export async function installSuites() {
  if (existsSync(join(modules, '.package-lock.json'))) return;
  const { code, output } = await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
  if (code !== 0) throw new Error(`The conformance suites were not installed.\n${output}`);
}

/** The command that runs a suite; arguments follow. */
export function suiteCommand(suite) {
  return [join(modules, 'node', 'bin', 'node'), join(modules, suite, 'dist', 'index.js')];
}
