import type { SpawnOptions } from 'node:child_process';
import { builtinModules } from 'node:module';

import type { GrantedPath, GrantedPermissions, IsolationMode } from '@code-executor/contracts';

/** What a Deno process may have beyond nothing. */
export interface DenoLimits {
  /** V8's own heap limit, in MiB. */
  heapMb: number;
  /** Memory beyond what an idle Deno has, in MiB; held by the kernel (`RLIMIT_DATA`). */
  memoryMb: number;
  /** One memory of WebAssembly, in MiB; below `memoryMb`, so that it ends with an exception and not with the process. Default: V8's own. */
  wasmMb?: number;
  /** CPU seconds after which the kernel ends the process, should the server be gone. */
  cpuSeconds: number;
}

/** What sandboxed code may open; writing includes reading. */
export type Grants = Pick<GrantedPermissions, 'read' | 'write'>;

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
export interface DenoCommand {
  isolation: IsolationMode;
  file: string;
  args: string[];
  spawnOptions: SpawnOptions & { env: Record<string, string> };
  /** Bytes for descriptor 3, which the command reads before Deno starts. */
  filter?: Buffer;
  /** What gets the descriptors from 4 on. */
  handles?: readonly GrantedPath['handle'][];
  /** Where the process sees `ownFiles`. */
  ownFiles: OwnFiles;
  /** Host paths that must not be seen outside, with what to show instead. */
  hiddenPaths: readonly [path: string, shown: string][];
  /** Called when the process waits for its program, before it gets one. */
  onReady?(): void;
  /** Bytes that the process has on disk now; strict isolation has a bounded file system instead. */
  diskBytes?(): Promise<number>;
  /** Removes what the command made on disk. */
  cleanUp(): Promise<void>;
}

/**
 * The environment of every Deno process, beside `DENO_DIR`. Deno looks for newer releases by itself,
 * and asks for no permission to load the machine's graphics drivers, which then write to the home folder.
 */
export const denoEnvironment: Record<string, string> = {
  DENO_NO_UPDATE_CHECK: '1',
  DENO_WEBGPU_BACKEND: 'none',
  // V8 guesses what indirect calls in WebAssembly lead to, and compiles anew where it guessed wrong. Interpreters
  // make little else: without it, Python answers in half the time and runs loops twice as fast or more.
  DENO_V8_FLAGS: '--no-wasm-deopt',
  NO_COLOR: '1',
};

/** Of 64 KiB each. */
const wasmPagesPerMb = 16;

/** `import 'fs'` is `import 'node:fs'`, as in Node. */
const nodeModules = builtinModules.filter((name) => !name.startsWith('_'));
const importMap = { imports: Object.fromEntries(nodeModules.map((name) => [name, `node:${name}`])) };
const importMapUrl = `data:application/json,${encodeURIComponent(JSON.stringify(importMap))}`;

/**
 * Flags of every Deno process. User code is never the entry script: Deno reads the static imports of
 * its entry without asking for permission. All four of `--no-remote --no-npm --cached-only
 * --deny-import` are needed: `--deny-import` alone leaves `npm:` open.
 */
export function denoFlags(limits: DenoLimits, grants: Grants, ownFiles: OwnFiles): string[] {
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
