import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { CodeExecutorError } from '@code-executor/contracts';

import type { HostFiles, Inside, IsolatedCommand, IsolatedCommandOptions } from '../command.js';
import type { Grants } from '../grants.js';
import { limitedCommand, shellEnvironment } from '../resource-limits.js';
import { hasSeccompFilter, seccompFilter } from './seccomp-filter.js';

const tmpfsBytes = 16 * 1024 * 1024;
/** The working folder: beside the program, where nothing is granted. */
const scratch = '/app/scratch';
/** Of what is granted; those before are the streams and the filter. */
const firstDescriptor = 4;
/** As much as the server writes for a program to which it serves files. */
const maxFileBytes = 8 * 1024 * 1024;
const sharedLibraries = new Map<string, Promise<string[]>>();
let helpOfBwrap: Promise<string> | undefined;

/**
 * A program inside bubblewrap: a root of its own that holds the binary, its shared libraries and the
 * files that it is given, all read-only; no network, `/proc`, `/dev`, `/etc` or home; no capability; a
 * seccomp filter against new processes and sockets; 16 MiB of scratch space that dies with it.
 *
 * @throws CodeExecutorError `failed_precondition` off Linux, on architectures without a filter, and for grants where
 * bubblewrap cannot mount what is open.
 */
export async function strictCommand<Files extends HostFiles>(
  options: IsolatedCommandOptions<Files>,
): Promise<IsolatedCommand<Files>> {
  if (process.platform !== 'linux' || !hasSeccompFilter(process.arch)) {
    throw new CodeExecutorError(
      'failed_precondition',
      `Strict isolation needs Linux on x64 or arm64, this is ${process.platform} on ${process.arch}; set sandbox.isolation to "portable".`,
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
    // outlive it when it is killed while it starts. There is no terminal to protect: see IsolatedProcess.
    ...['--die-with-parent', '--clearenv', '--cap-drop', 'ALL'],
    ...(await librariesOf(program.path)).flatMap((library) => ['--ro-bind', library, library]),
    ...['--ro-bind', program.path, inside.program],
    ...Object.entries(files).flatMap(([name, path]) => ['--ro-bind', path, `/app/${name}`]),
    // Where runtimes look for themselves: this one link of /proc, and nothing else of it.
    ...['--dir', '/proc/self', '--symlink', inside.program, '/proc/self/exe'],
    ...['--size', String(tmpfsBytes), '--tmpfs', scratch],
    ...mounts(options.grants),
    // Last: until here the new root is writable.
    ...['--chdir', scratch, '--remount-ro', '/'],
    ...['--uid', '65534', '--gid', '65534', '--hostname', 'sandbox'],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
  return {
    isolation: 'strict',
    file: '/bin/sh',
    args: limitedCommand(options.limits, maxFileBytes, [...bwrap, inside.program, ...args]),
    // bwrap's own environment is readable inside, at /proc/1/environ: it gets no other.
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
