/** `npm run test:watch -- <project>`: runs the tests of a project again after each change. */
import { spawn } from 'node:child_process';

import { ensureBuilt } from './ensure-built.mjs';
import { listProjects } from './projects.mjs';
import { binOf, cleanEnvironment } from './run.mjs';

const [name, ...jestArguments] = process.argv.slice(2);
const project = listProjects().find((candidate) => candidate.name === name);
if (!project) {
  const names = listProjects().map((candidate) => `  ${candidate.name}`);
  process.stderr.write(`Usage: npm run test:watch -- <project>. The projects:\n${names.join('\n')}\n`);
  process.exit(1);
}

await ensureBuilt();
const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const jest = spawn(process.execPath, [...options, binOf('jest'), '--watch', ...jestArguments], {
  cwd: project.path,
  env: cleanEnvironment({ FORCE_COLOR: process.stdout.isTTY ? '1' : '0' }),
  stdio: 'inherit',
});
jest.on('exit', (code) => (process.exitCode = code ?? 1));
