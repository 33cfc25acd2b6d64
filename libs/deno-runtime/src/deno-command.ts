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

import { keepStartupCaches, putStartupCaches } from './startup-caches.js';

/** What a Deno process may have beyond nothing. */
export interface DenoLimits {
  /** V8's own heap limit, in MiB. */
  heapMb: number;
  /** Memory beyond what an idle Deno has, in MiB; held by the kernel (`RLIMIT_DATA`). */
  memoryMb: number;
  /** One memory of WebAssembly, in MiB; below `memoryMb`, so that it ends with an exception and not with the process. Default: V8's own. */
  wasmMb?: number;
  /** CPU seconds after which the kernel ends the process, even if the server is gone or the run's clock stands still. */
  cpuSeconds: number;
}

/** Files and folders of ours that an entry script reads before it takes a program, by a name without blanks. */
export type OwnFiles = Readonly<Record<string, string>>;

/** Everything that decides how a Deno process is started. */
export interface DenoCommandOptions {
  denoPath: string;
  /** The trusted entry script; its folder is all that the process sees of the product. */
  script: URL;
  limits: DenoLimits;
  grants: Grants;
  /** Readable until the entry script gives that up. */
  ownFiles?: OwnFiles;
}

/** A command line that is ready for `spawn`. */
export interface DenoCommand extends IsolatedCommand {
  /** Where the process sees `ownFiles`. */
  ownFiles: OwnFiles;
  /** Called when the process waits for its program, before it gets one. */
  onReady?(): void;
}

/**
 * The environment of every Deno process, beside `DENO_DIR`. Deno looks for newer releases by itself,
 * and asks for no permission to load the machine's graphics drivers, which then write to the home folder.
 */
const environment: Record<string, string> = {
  DENO_NO_UPDATE_CHECK: '1',
  DENO_WEBGPU_BACKEND: 'none',
  // V8 guesses what indirect calls in WebAssembly lead to, and compiles anew where it guessed wrong. Interpreters
  // make little else: without it, Python answers in half the time and runs loops twice as fast or more.
  DENO_V8_FLAGS: '--no-wasm-deopt',
  NO_COLOR: '1',
};

/** `VmData` of an idle Deno is about 560 MB, most of it the JIT's code range. */
const idleDataMb = 512;
const noGrants: Grants = { read: [], write: [] };

/** Of 64 KiB each. */
const wasmPagesPerMb = 16;

/** `import 'fs'` is `import 'node:fs'`, as in Node. */
const nodeModules = builtinModules.filter((name) => !name.startsWith('_'));
const importMap = { imports: Object.fromEntries(nodeModules.map((name) => [name, `node:${name}`])) };
const importMapUrl = `data:application/json,${encodeURIComponent(JSON.stringify(importMap))}`;

/** The command line for one Deno process behind the given walls. */
export async function denoCommand(walls: Walls, options: DenoCommandOptions): Promise<DenoCommand> {
  const command = await isolatedCommand(walls, isolatedDeno(walls, options));
  const { rt, ...ownFiles } = command.inside.files;
  if (walls === 'strict') return { ...command, ownFiles };
  // Of the runtime and the entry script, by the path that Deno's caches know it by.
  const key = [options.denoPath, rt, basename(options.script.pathname)].join('\n');
  const denoDir = denoDirIn(command.inside.scratch);
  putStartupCaches(key, denoDir);
  return {
    ...command,
    ownFiles,
    hiddenPaths: [
      ...command.hiddenPaths,
      // Deno names the machine's resolver when it refuses to ask it.
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
        // In portable isolation the server opens files: Deno follows links that are there already.
        ...denoFlags(limits, walls === 'strict' ? grants : noGrants, own),
        join(rt, basename(product)),
      ],
      env: {
        DENO_DIR: denoDirIn(scratch),
        // Translated programs need not go to disk. Not in strict isolation: Deno then translates in its main
        // thread, and looks for that one's stack in /proc, which is not there.
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
 * Flags of every Deno process. User code is never the entry script: Deno reads the static imports of
 * its entry without asking for permission. All four of `--no-remote --no-npm --cached-only
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
