import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { CodeExecutorError } from '@code-executor/contracts';

import type { HostFiles, Inside, IsolatedCommand, IsolatedCommandOptions } from '../command.js';
import type { Grants } from '../grants.js';
import { limitedCommand, shellEnvironment } from '../resource-limits.js';
import { hasSeccompFilter, seccompFilter } from './seccomp-filter.js';

const tmpfsBytes = 16 * 1024 * 1024;
/** The working folder. It is in /app, where nothing can be granted. */
const scratch = '/app/scratch';
/** The descriptor of the first grant; the streams and the filter come before it. */
const firstDescriptor = 4;
/** The same limit as for files that the server writes on behalf of a program in portable isolation. */
const maxFileBytes = 8 * 1024 * 1024;
const sharedLibraries = new Map<string, Promise<string[]>>();
let helpOfBwrap: Promise<string> | undefined;

/**
 * A program inside bubblewrap: a root of its own that holds the binary, its shared libraries and the
 * files that it is given, all read-only; no network, `/proc`, `/dev`, `/etc` or home; no capability; a
 * seccomp filter against new processes and sockets; 16 MiB of scratch space that is gone when it ends.
 *
 * @throws CodeExecutorError `failed_precondition` on other systems than Linux, on architectures without a filter, and
 * for grants if bubblewrap cannot mount open descriptors.
 */
export async function strictCommand<Files extends HostFiles>(
  options: IsolatedCommandOptions<Files>,
): Promise<IsolatedCommand<Files>> {
  if (process.platform !== 'linux' || !hasSeccompFilter(process.arch)) {
    throw new CodeExecutorError(
      'failed_precondition',
      `Strict isolation needs Linux on x64 or arm64, but this is ${process.platform} on ${process.arch}; set sandbox.isolation to "portable".`,
    );
  }
  if (options.grants.read.length + options.grants.write.length > 0) await requireDescriptorMounts();
  const { program, files } = options;
  const inside = insideOf(options);
  const { args, env } = options.invoke(inside);
  const bwrap = [
    'bwrap',
    ...['--seccomp', '3', '--unshare-user', '--unshare-all', '--disable-userns'],
    // No --new-session: bubblewrap's inner process would leave the group that is killed as a whole, and
    // outlive the group if that is killed during its start. There is no terminal to protect: see IsolatedProcess.
    ...['--die-with-parent', '--clearenv', '--cap-drop', 'ALL'],
    ...(await librariesOf(program.path)).flatMap((library) => ['--ro-bind', library, library]),
    ...['--ro-bind', program.path, inside.program],
    ...Object.entries(files).flatMap(([name, path]) => ['--ro-bind', path, `/app/${name}`]),
    // Runtimes find their own binary by this link; /proc contains nothing else.
    ...['--dir', '/proc/self', '--symlink', inside.program, '/proc/self/exe'],
    ...['--size', String(tmpfsBytes), '--tmpfs', scratch],
    ...mounts(options.grants),
    // After all mounts, because those need a writable root.
    ...['--chdir', scratch, '--remount-ro', '/'],
    ...['--uid', '65534', '--gid', '65534', '--hostname', 'sandbox'],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
  return {
    isolation: 'strict',
    file: '/bin/sh',
    args: limitedCommand(options.limits, maxFileBytes, [...bwrap, inside.program, ...args]),
    // bwrap gets no other variables, because its environment can be read inside at /proc/1/environ.
    spawnOptions: { cwd: '/', env: shellEnvironment },
    filter: seccompFilter(process.arch),
    handles: [...options.grants.read, ...options.grants.write].map(({ handle }) => handle),
    inside,
    hiddenPaths: [],
    cleanUp: () => Promise.resolve(),
  };
}

function insideOf<Files extends HostFiles>({ program, files }: IsolatedCommandOptions<Files>): Inside<Files> {
  const paths = Object.keys(files).map((name) => [name, `/app/${name}`]);
  return { program: `/app/${program.name}`, files: Object.fromEntries(paths) as Files, scratch };
}

/** Refuses a bubblewrap that can mount only paths, because it would mount whatever is at a path by then. */
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

/** Mounts grants by descriptor, so that bubblewrap mounts what was opened, whatever is at its path by then. */
function mounts({ read, write }: Grants): string[] {
  let descriptor = firstDescriptor;
  return [
    ...read.flatMap(({ path, hidden }) => [
      ...['--ro-bind-fd', String(descriptor++), path],
      // Covers a hidden folder with an empty one, and a hidden file with a device, which cannot be opened there.
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
