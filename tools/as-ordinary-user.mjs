/** Runs a script of this repository as a user other than root. */
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { cleanEnvironment, root, run } from './run.mjs';

/** The ID of a user and group without any rights; no account with this ID has to exist. */
const id = 1500;
const drop = ['--reuid', id, '--regid', id, '--clear-groups', '--inh-caps=-all'].map(String);

/**
 * Runs a script with its arguments as a user without privileges, who has a home and a temporary folder. Resolves
 * with its exit code. If this user cannot read the checkout, a copy of it is used.
 */
export async function asOrdinaryUser(script) {
  const home = mkdtempSync(join(tmpdir(), 'ordinary-user-'));
  // Retried, because processes that the child started may end a moment after it.
  const removeHome = () => rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  try {
    chownSync(home, id, id);
    const checkout = (await canRead(join(root, 'package.json')))
      ? root
      : await copyTo(join(home, 'checkout'));
    return await new Promise((resolve) => {
      const child = spawn('setpriv', [...drop, process.execPath, ...script], {
        cwd: checkout,
        env: cleanEnvironment({ HOME: home, TMPDIR: home, USER: 'ordinary', LOGNAME: 'ordinary' }),
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      // The child has another user, so it does not end with this process by itself.
      const endWithUs = () => {
        child.kill();
        removeHome();
      };
      process.once('exit', endWithUs);
      child.on('error', ({ message }) => {
        process.stderr.write(`setpriv could not be started: ${message}\n`);
        resolve(1);
      });
      child.on('close', (code) => {
        process.off('exit', endWithUs);
        resolve(code ?? 1);
      });
    });
  } finally {
    removeHome();
  }
}

async function canRead(path) {
  return (await run('setpriv', [...drop, 'test', '-r', path])).code === 0;
}

async function copyTo(folder) {
  const copied = await run('cp', ['-a', root, folder]);
  if (copied.code !== 0) throw new Error(`The checkout could not be copied: ${copied.output}`);
  await run('chmod', ['-R', 'a+rX', folder]);
  // Others may enter the copy, because it is inside the home of the user, which only its owner may enter.
  chmodSync(folder, 0o755);
  return folder;
}
