import { getServers } from 'node:dns';
import { access, constants } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type DenoCommand, type DenoCommandOptions, denoEnvironment, denoFlags } from './deno-command.js';
import { createPrivateFolder } from './private-folder.js';
import { limitedCommand } from './resource-limits.js';
import { linkTo } from './server-folder.js';
import { keepStartupCaches, putStartupCaches } from './startup-caches.js';

/** Deno's own files, and the nameless ones that SQLite makes: programs have no others. */
const maxFileBytes = 4 * 1024 * 1024;
let deathSignal: Promise<string[]> | undefined;

/**
 * Deno behind its own permissions and resource limits, for machines where {@link strictCommand}
 * cannot work. It grants no files of a program's to Deno: Deno follows links that are there already, so the server
 * opens files for it.
 */
export async function portableCommand(options: DenoCommandOptions): Promise<DenoCommand> {
  const product = fileURLToPath(options.script);
  const own = Object.entries(options.ownFiles ?? {});
  const ownFiles = Object.fromEntries(own.map(([name, path]) => [name, linkTo(path, name)]));
  const runtime = linkTo(options.denoPath, 'deno');
  const script = join(linkTo(dirname(product), 'rt'), basename(product));
  const folder = createPrivateFolder();
  const caches = `${options.denoPath}\n${script}`;
  putStartupCaches(caches, folder.denoDir);
  const deno = [runtime, ...denoFlags(options.limits, { read: [], write: [] }, ownFiles), script];
  const environment = {
    DENO_DIR: folder.denoDir,
    // Translated programs need not go to disk. Not in strict isolation: Deno then translates in its main
    // thread, and looks for that one's stack in /proc, which is not there.
    DENO_EMIT_CACHE_MODE: 'disable',
    ...denoEnvironment,
  };
  const command =
    process.platform === 'win32'
      ? { file: runtime, args: deno.slice(1) }
      : {
          file: '/bin/sh',
          args: limitedCommand(options.limits, maxFileBytes, [...(await endWithServer()), ...deno]),
        };
  return {
    isolation: 'portable',
    ...command,
    spawnOptions: {
      // Empty: a package.json in a folder above would change how Deno reads a program.
      cwd: folder.workDir,
      env: environment,
    },
    ownFiles,
    hiddenPaths: [
      ...own.flatMap(([name, path]) => hide([ownFiles[name] ?? path, path], `/app/${name}`)),
      ...hide([dirname(script), dirname(product)], '/app/rt'),
      ...hide([runtime, options.denoPath], '/app/deno'),
      [folder.path, '/tmp'],
      // Deno names the machine's resolver when it refuses to ask it.
      ...getServers().map((server): [string, string] => [`${server}:53`, 'the resolver']),
    ],
    onReady: () => keepStartupCaches(caches, folder.denoDir),
    diskBytes: () => folder.size(),
    cleanUp: () => folder.remove(),
  };
}

function hide(paths: readonly string[], shown: string): [path: string, shown: string][] {
  return paths.map((path) => [path, shown]);
}

/** A spinning Deno would outlive a killed server; `setpriv` makes the kernel end it, where there is one. */
function endWithServer(): Promise<string[]> {
  deathSignal ??= access('/usr/bin/setpriv', constants.X_OK).then(
    () => ['/usr/bin/setpriv', '--pdeathsig', 'KILL'],
    () => [],
  );
  return deathSignal;
}
