/**
 * Checks the files in deploy/ with the programs that read them. What is not installed is named, and a failure under CI.
 * `node tools/check-deploy.mjs` runs only this.
 */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { check, inTemporaryFolder } from './checks/installed-packages.mjs';
import { reportChecks } from './print.mjs';
import { root, run } from './run.mjs';

const container = join(root, 'deploy', 'container');
const unit = 'code-executor.service';
const composeFiles = [['compose.yaml'], ['compose.yaml', 'compose.strict.yaml']];

export function checkDeploy() {
  return inTemporaryFolder('deploy', async (folder) => {
    const compose = await composeCommand();
    const checks = [await checkUnit(folder)];
    for (const files of composeFiles) checks.push(await checkCompose(compose, files, folder));
    return checks;
  });
}

async function checkUnit(folder) {
  const name = `systemd-analyze verify ${unit}`;
  const text = await readFile(join(root, 'deploy', 'systemd', unit), 'utf8');
  const copy = join(folder, unit);
  // It has to find the command, which is not installed here.
  await writeFile(copy, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
  const { code, output, missing } = await run('systemd-analyze', ['verify', '--man=no', copy]);
  if (missing) return notRun(name, 'systemd');
  // It only warns about a key that it does not know.
  return check(name, code === 0 && output === '' ? '' : output || `exit code ${code}`);
}

/** Compose as a program of its own, or as a plugin of Docker. */
async function composeCommand() {
  for (const command of [['docker-compose'], ['docker', 'compose']]) {
    const [file, ...args] = command;
    if ((await run(file, [...args, 'version'])).code === 0) return command;
  }
  return undefined;
}

async function checkCompose(command, files, folder) {
  const name = `docker-compose config ${files.join(' ')}`;
  if (!command) return notRun(name, 'docker-compose');
  for (const file of files) await copyFile(join(container, file), join(folder, file));
  await writeFile(join(folder, 'secrets.env'), '');
  const [program, ...args] = [...command, ...files.flatMap((file) => ['--file', file]), 'config', '--quiet'];
  const { code, output } = await run(program, args, { cwd: folder });
  return check(name, code === 0 ? '' : output);
}

function notRun(name, debianPackage) {
  const note = `not run: apt-get install ${debianPackage}`;
  return { name, passed: 0, failed: process.env.CI === 'true' ? 1 : 0, note, detail: note };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { passed, failed } = reportChecks(await checkDeploy());
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
