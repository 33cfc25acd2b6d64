import { access, constants } from 'node:fs/promises';

import type { HostFiles, IsolatedCommand, IsolatedCommandOptions } from '../command.js';
import { limitedCommand } from '../resource-limits.js';
import { createPrivateFolder } from './private-folder.js';
import { linkTo } from './server-folder.js';

/** Applies to files that the runtime keeps for itself, because the server writes the granted files of programs. */
const maxFileBytes = 4 * 1024 * 1024;
let deathSignal: Promise<string[]> | undefined;

/**
 * A program behind resource limits, with its own environment and working folder, for machines where strict isolation
 * does not work. Nothing restricts the files and system calls that it uses, so it must bring its own walls.
 */
export async function portableCommand<Files extends HostFiles>(
  options: IsolatedCommandOptions<Files>,
): Promise<IsolatedCommand<Files>> {
  const files = Object.entries(options.files).map(([name, path]) => ({
    name,
    path,
    link: linkTo(path, name),
  }));
  const program = { ...options.program, link: linkTo(options.program.path, options.program.name) };
  const folder = createPrivateFolder();
  const inside = {
    program: program.link,
    files: Object.fromEntries(files.map(({ name, link }) => [name, link])) as Files,
    scratch: folder.path,
  };
  const { args, env } = options.invoke(inside);
  const command = [...(await deathSignalCommand()), program.link, ...args];
  return {
    isolation: 'portable',
    ...(process.platform === 'win32'
      ? { file: program.link, args: [...args] }
      : { file: '/bin/sh', args: limitedCommand(options.limits, maxFileBytes, command) }),
    // An empty folder, because runtimes look for settings in the folder where they start and in its parents.
    spawnOptions: { cwd: folder.workDir, env: { ...env } },
    inside,
    hiddenPaths: [
      ...[...files, program].flatMap(({ name, path, link }) => hide([link, path], `/app/${name}`)),
      [folder.path, '/tmp'],
    ],
    diskBytes: () => folder.size(),
    cleanUp: () => folder.remove(),
  };
}

function hide(paths: readonly string[], shown: string): [path: string, shown: string][] {
  return paths.map((path) => [path, shown]);
}

/** A busy process would outlive a killed server. `setpriv`, if it is installed, makes the kernel end the process. */
function deathSignalCommand(): Promise<string[]> {
  deathSignal ??= access('/usr/bin/setpriv', constants.X_OK).then(
    () => ['/usr/bin/setpriv', '--pdeathsig', 'KILL'],
    () => [],
  );
  return deathSignal;
}
