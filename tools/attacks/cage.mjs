/** A place for attacks that get through. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

import { cleanEnvironment, run } from '../run.mjs';

/** Without a wall, an attack may wait forever. */
const limitMs = 900_000;

/**
 * Returns a function that runs Node in a folder so that it cannot harm this machine: it sees the machine's files
 * read-only, no other processes and no network, and all that it starts ends with it. It may write to the folder and
 * to the temporary folder.
 */
export function makeCage(folder, temp) {
  const libc = copyOfLibc(temp);
  const bubblewrap = [
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
    ...[folder, temp].flatMap((path) => ['--bind', path, path]),
    ...(libc ? ['--bind', libc.copy, libc.path] : []),
    ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--die-with-parent'],
    // A server of root has capabilities, and the attacks must meet such a server.
    ...(process.getuid() === 0 ? ['--cap-add', 'ALL'] : []),
  ];
  const env = cleanEnvironment({ TMPDIR: temp });
  return (...args) =>
    run('bwrap', [...bubblewrap, process.execPath, ...args], { cwd: folder, env, timeoutMs: limitMs });
}

/** Copies a library that is writable in the cage, so that only a wall keeps a sandbox from writing to it. */
function copyOfLibc(temp) {
  const libraries = execFileSync('ldd', [process.execPath], { encoding: 'utf8' });
  const found = /\/\S+\/libc\.so\.6/.exec(libraries)?.[0];
  // Without glibc, no attack can notice that the wall on libraries is missing.
  if (found === undefined) return undefined;
  const library = { path: realpathSync(found), copy: join(temp, 'libc.so.6') };
  copyFileSync(library.path, library.copy);
  return library;
}
