import { execFile } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { CodeExecutorError } from '@code-executor/contracts';

import { hasSeccompFilter, seccompFilter } from '../seccomp/seccomp-filter.js';
import {
  type DenoCommand,
  type DenoCommandOptions,
  denoEnvironment,
  denoFlags,
  type Grants,
} from './deno-command.js';
import { limitedCommand, shellEnvironment } from './resource-limits.js';

const tmpfsBytes = 16 * 1024 * 1024;
/** Its caches and working folder: beside the product, where nothing is granted. */
const scratch = '/app/scratch';
/** Of what is granted; those before are the streams and the filter. */
const firstDescriptor = 4;
/** As much as the server writes for a program where it serves files. */
const maxFileBytes = 8 * 1024 * 1024;
const sharedLibraries = new Map<string, Promise<string[]>>();
let helpOfBwrap: Promise<string> | undefined;

/**
 * Deno inside bubblewrap: a root of its own that holds the binary, its shared libraries and the
 * script's folder, all read-only; no network, `/proc`, `/dev`, `/etc` or home; no capability; a
 * seccomp filter against new processes and sockets; 16 MiB of scratch space that dies with it.
 *
 * @throws CodeExecutorError `failed_precondition` off Linux, on architectures without a filter, and for grants where
 * bubblewrap cannot mount what is open.
 */
export async function strictCommand(options: DenoCommandOptions): Promise<DenoCommand> {
  if (process.platform !== 'linux' || !hasSeccompFilter(process.arch)) {
    throw new CodeExecutorError(
      'failed_precondition',
      `Strict isolation needs Linux on x64 or arm64, this is ${process.platform} on ${process.arch}; set sandbox.isolation to "portable".`,
    );
  }
  if (options.grants.read.length + options.grants.write.length > 0) await requireDescriptorMounts();
  const script = fileURLToPath(options.script);
  const own = Object.entries(options.ownFiles ?? {});
  const ownFiles = Object.fromEntries(own.map(([name]) => [name, `/app/${name}`]));
  const bwrap = [
    'bwrap',
    ...['--seccomp', '3', '--unshare-user', '--unshare-all', '--disable-userns'],
    // No --new-session: bubblewrap's inner process would leave the group that is killed as a whole, and
    // outlive it when it is killed while it starts. There is no terminal to protect: see DenoProcess.
    ...['--die-with-parent', '--clearenv', '--cap-drop', 'ALL'],
    ...(await librariesOf(options.denoPath)).flatMap((library) => ['--ro-bind', library, library]),
    ...['--ro-bind', options.denoPath, '/app/deno', '--ro-bind', dirname(script), '/app/rt'],
    ...own.flatMap(([name, path]) => ['--ro-bind', path, `/app/${name}`]),
    // Deno needs this one link of /proc, and nothing else of it.
    ...['--dir', '/proc/self', '--symlink', '/app/deno', '/proc/self/exe'],
    ...['--size', String(tmpfsBytes), '--tmpfs', scratch],
    ...mounts(options.grants),
    // Last: until here the new root is writable.
    ...['--chdir', scratch, '--remount-ro', '/'],
    ...['--uid', '65534', '--gid', '65534', '--hostname', 'sandbox'],
    ...['--setenv', 'DENO_DIR', `${scratch}/deno`],
    ...Object.entries(denoEnvironment).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
  const flags = denoFlags(options.limits, options.grants, ownFiles);
  const deno = ['/app/deno', ...flags, `/app/rt/${basename(script)}`];
  return {
    isolation: 'strict',
    file: '/bin/sh',
    args: limitedCommand(options.limits, maxFileBytes, [...bwrap, ...deno]),
    // bwrap's own environment is readable inside, at /proc/1/environ: it gets no other.
    spawnOptions: { cwd: '/', env: shellEnvironment },
    filter: seccompFilter(process.arch),
    handles: [...options.grants.read, ...options.grants.write].map(({ handle }) => handle),
    ownFiles,
    hiddenPaths: [],
    cleanUp: () => Promise.resolve(),
  };
}

/** A bubblewrap that mounts paths only would mount whatever they lead to by then. */
async function requireDescriptorMounts(): Promise<void> {
  helpOfBwrap ??= promisify(execFile)('bwrap', ['--help'], { env: shellEnvironment, timeout: 10_000 }).then(
    ({ stdout }) => stdout,
    () => '',
  );
  const help = await helpOfBwrap;
  if (help.includes('--ro-bind-fd') && help.includes('--bind-fd')) return;
  helpOfBwrap = undefined;
  throw new CodeExecutorError(
    'failed_precondition',
    'Files cannot be granted in strict isolation, because this bubblewrap has no --bind-fd; update it (0.10 or newer, or the security update of your distribution), or run without permissions.read and permissions.write.',
  );
}

/** What is granted is mounted by its descriptor: bubblewrap makes sure that it mounts the thing, whatever its name is by then. */
function mounts({ read, write }: Grants): string[] {
  let descriptor = firstDescriptor;
  return [
    ...read.flatMap(({ path, hidden }) => [
      ...['--ro-bind-fd', String(descriptor++), path],
      // Nobody can open a device there, and nothing is in the other.
      ...hidden.flatMap((each) =>
        each.isFolder
          ? ['--perms', '0000', '--tmpfs', each.path, '--remount-ro', each.path]
          : ['--ro-bind', '/dev/null', each.path],
      ),
    ]),
    ...write.flatMap(({ path }) => ['--bind-fd', String(descriptor++), path]),
  ];
}

/** The shared libraries of a binary, as `ldd` lists them. */
function librariesOf(binary: string): Promise<string[]> {
  let libraries = sharedLibraries.get(binary);
  if (!libraries) {
    libraries = promisify(execFile)('ldd', [binary], { env: shellEnvironment, timeout: 10_000 }).then(
      ({ stdout }) => [...stdout.matchAll(/(\/\S+) \(0x/g)].flatMap((match) => match[1] ?? []),
    );
    sharedLibraries.set(binary, libraries);
    libraries.catch(() => sharedLibraries.delete(binary));
  }
  return libraries;
}
