import { getServers } from 'node:dns';
import { builtinModules } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import {
  type Grants,
  isolatedCommand,
  type IsolatedCommand,
  type IsolatedCommandOptions,
  type Walls,
} from '@code-executor/isolation';

import { nodeImportMap } from './node-import-map.js';
import { keepStartupCaches, putStartupCaches } from './startup-caches.js';

/** The resources that a Deno process may use. */
export interface DenoLimits {
  /** V8's own heap limit, in MiB. */
  heapMb: number;
  /** Memory in addition to that of an idle Deno, in MiB; enforced by the kernel (`RLIMIT_DATA`). */
  memoryMb: number;
  /**
   * The size of one WebAssembly memory, in MiB. Set it below `memoryMb`, so that exceeding it throws an exception and
   * does not end the process. Default: V8's own limit.
   */
  wasmMb?: number;
  /** CPU seconds after which the kernel ends the process, even if the server is gone or the run's clock stands still. */
  cpuSeconds: number;
}

/** Files and folders of the product that an entry script reads before it takes a program, by names without blanks. */
export type OwnFiles = Readonly<Record<string, string>>;

/** Everything that decides how a Deno process is started. */
export interface DenoCommandOptions {
  denoPath: string;
  /** The trusted entry script. The process sees its folder, and nothing else of the product. */
  script: URL;
  limits: DenoLimits;
  grants: Grants;
  /** The process can read them until the entry script gives up that permission. */
  ownFiles?: OwnFiles;
}

/** A Deno command line that is ready for `spawn`. */
export interface DenoCommand extends IsolatedCommand {
  /** Where the process sees `ownFiles`. */
  ownFiles: OwnFiles;
  /** Called when the process waits for its program, before it gets one. */
  onReady?(): void;
}

/**
 * The environment of every Deno process, in addition to `DENO_DIR`. By default, Deno looks for newer releases, and loads
 * the machine's graphics drivers without asking for permission; those then write to the home folder.
 */
const environment: Record<string, string> = {
  DENO_NO_UPDATE_CHECK: '1',
  DENO_WEBGPU_BACKEND: 'none',
  // V8 guesses the targets of indirect calls in WebAssembly, and compiles again if it guessed wrong. Interpreters make
  // mostly such calls: without this, Python answers in half the time and runs loops at least twice as fast.
  DENO_V8_FLAGS: '--no-wasm-deopt',
  NO_COLOR: '1',
};

/** `VmData` of an idle Deno is about 560 MB, most of it the JIT's code range. */
const idleDataMb = 512;
const noGrants: Grants = { read: [], write: [] };

/** Pages of WebAssembly have 64 KiB. */
const wasmPagesPerMb = 16;

const importMap = JSON.stringify(nodeImportMap(builtinModules));
const importMapUrl = `data:application/json,${encodeURIComponent(importMap)}`;

/** The command line for one Deno process behind the given walls. */
export async function denoCommand(walls: Walls, options: DenoCommandOptions): Promise<DenoCommand> {
  const command = await isolatedCommand(walls, isolatedDeno(walls, options));
  const { rt, ...ownFiles } = command.inside.files;
  if (walls === 'strict') return { ...command, ownFiles };
  // Caches belong to a runtime and an entry script, which they know by its path inside.
  const key = [options.denoPath, rt, basename(options.script.pathname)].join('\n');
  const denoDir = denoDirIn(command.inside.scratch);
  putStartupCaches(key, denoDir);
  return {
    ...command,
    ownFiles,
    hiddenPaths: [
      ...command.hiddenPaths,
      // Deno's refusal to resolve a name includes the address of the machine's resolver.
      ...getServers().map((server) => [`${server}:53`, 'the resolver'] as const),
    ],
    onReady: () => keepStartupCaches(key, denoDir),
  };
}

/** A Deno process as isolation starts it. */
export function isolatedDeno(
  walls: Walls,
  { denoPath, script, limits, grants, ownFiles = {} }: DenoCommandOptions,
): IsolatedCommandOptions<OwnFiles & { rt: string }> {
  const product = fileURLToPath(script);
  return {
    program: { name: 'deno', path: denoPath },
    files: { ...ownFiles, rt: dirname(product) },
    grants,
    limits: { dataMb: idleDataMb + limits.memoryMb, cpuSeconds: limits.cpuSeconds },
    invoke: ({ files: { rt, ...own }, scratch }) => ({
      args: [
        // In portable isolation the server opens files, because Deno follows links that already exist.
        ...denoFlags(limits, walls === 'strict' ? grants : noGrants, own),
        join(rt, basename(product)),
      ],
      env: {
        DENO_DIR: denoDirIn(scratch),
        // Compiled programs need not be written to disk. In strict isolation this does not work, because Deno then
        // compiles in its main thread and looks for that thread's stack in /proc, which is not there.
        ...(walls === 'portable' && { DENO_EMIT_CACHE_MODE: 'disable' }),
        ...environment,
      },
    }),
  };
}

function denoDirIn(scratch: string): string {
  return join(scratch, 'deno');
}

/**
 * The flags of every Deno process. User code is never the entry script, because Deno reads the static imports of its
 * entry script without asking for permission. All four of `--no-remote --no-npm --cached-only
 * --deny-import` are needed: `--deny-import` alone leaves `npm:` open.
 */
function denoFlags(limits: DenoLimits, grants: Grants, ownFiles: OwnFiles): string[] {
  const list = (paths: readonly string[]) => paths.map((path) => path.replaceAll(',', ',,')).join(',');
  const writable = grants.write.map(({ path }) => path);
  const readable = [...grants.read.map(({ path }) => path), ...writable, ...Object.values(ownFiles)];
  const v8Flags = [
    `--max-old-space-size=${limits.heapMb}`,
    ...(limits.wasmMb === undefined ? [] : [`--wasm-max-mem-pages=${limits.wasmMb * wasmPagesPerMb}`]),
  ];
  return [
    'run',
    ...[
      '--no-prompt',
      '--no-remote',
      '--no-npm',
      '--cached-only',
      '--no-config',
      '--no-lock',
      '--no-check',
      '--no-code-cache',
    ],
    `--import-map=${importMapUrl}`,
    ...['--deny-import', '--deny-net', '--deny-env', '--deny-sys', '--deny-run', '--deny-ffi'],
    readable.length > 0 ? `--allow-read=${list(readable)}` : '--deny-read',
    writable.length > 0 ? `--allow-write=${list(writable)}` : '--deny-write',
    `--v8-flags=${v8Flags.join(',')}`,
  ];
}
