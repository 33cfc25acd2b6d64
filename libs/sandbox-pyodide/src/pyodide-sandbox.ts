import { CodeExecutorError, type ExecutionRequest, type ExecutionResult } from '@code-executor/contracts';
import { type Sandbox, type SandboxStatus } from '@code-executor/contracts';
import { maxJsonDepth } from '@code-executor/pipes';
import { DenoRunner, type SpareOptions } from '@code-executor/deno-runtime';
import type { Isolation } from '@code-executor/isolation';
import { type HostCallHandlers, withOwnHostCalls } from '@code-executor/sandbox-channel';

import { MemorySnapshot } from './memory-snapshot.js';
import { PackageFolder } from './package-folder.js';
import { programGlobals } from './program-globals.js';

export interface PyodideSandboxOptions {
  /** A Deno binary of version 2.9.5 or newer. Default: the one of the npm package `deno`. */
  denoPath?: string;
  /** `auto` (default) is strict if bubblewrap works, else portable. A required mode is never replaced by another. */
  isolation?: Isolation;
  /** Memory of a program beyond what an idle Deno needs, in MiB, at least 256; the interpreter itself takes about 200. Default 512. */
  memoryMb?: number;
  /** Characters kept of each of stdout and stderr, and of the value. Default 100,000. */
  maxOutputChars?: number;
  /** Unused processes that wait for a program. Default: 1, for ten minutes, within 512 MiB. */
  spares?: SpareOptions;
  /** The folder that `code-executor python add` fills. Default: no packages beside the standard library. */
  packagesDir?: string;
  /**
   * Where the memory snapshot is stored, so that the next start of the server uses it again.
   * Default: a temporary folder for each sandbox, removed when the sandbox closes.
   */
  snapshotDir?: string;
  /**
   * Your own functions for programs, by their names in camel case: a program that calls `await time_of_day(…)` gets
   * the answer of the handler `timeOfDay`. Default: none.
   */
  hostCalls?: HostCallHandlers;
}

/** `bundle.mjs` builds it from `assets/`. Tests run it too, because it is what users get. */
const bootstrap = new URL('../dist/bootstrap/bootstrap.js', import.meta.url);
/** Only for JavaScript, because Python's memory is not in V8's heap. */
const heapMb = 128;
const minMemoryMb = 256;
/** The part of `memoryMb` for the compiled interpreter and for buffers; the rest is Python's own memory. */
const overheadMb = 160;
/** Added to `memoryMb`, so that Deno can still start a thread and send the outcome when Python has used up its memory. */
const reserveMb = 64;
/** A value must fit into one frame, at up to three bytes per character. */
const maxValueChars = 300_000;

/** Runs Python, as CPython compiled to WebAssembly. Each program gets its own Deno process, which ends with the program. */
export class PyodideSandbox implements Sandbox {
  readonly language = 'python';
  readonly #runner: DenoRunner;
  readonly #snapshot: MemorySnapshot;
  readonly #packages: PackageFolder;

  /**
   * @throws CodeExecutorError `invalid_argument` if `memoryMb` is too small, or a name in `hostCalls` is not in camel
   * case or is taken.
   */
  constructor(options: PyodideSandboxOptions = {}) {
    const { denoPath, isolation = 'auto', memoryMb = 512, maxOutputChars = 100_000 } = options;
    if (memoryMb < minMemoryMb) {
      const problem = `Python needs a memoryMb of ${minMemoryMb} or more, not ${memoryMb}.`;
      throw new CodeExecutorError('invalid_argument', problem);
    }
    const limits = { maxValueChars: Math.min(maxOutputChars, maxValueChars), maxDepth: maxJsonDepth - 10 };
    const common = { denoPath, isolation, limits: processLimits(memoryMb), maxOutputChars };
    this.#snapshot = new MemorySnapshot({ ...common, folder: options.snapshotDir });
    this.#packages = new PackageFolder(options.packagesDir);
    this.#runner = new DenoRunner({
      ...common,
      language: this.language,
      script: bootstrap,
      memoryAdvice: `Python has ${memoryMb} MB (executors.python.memoryMb), of which a program gets ${memoryMb - overheadMb}: keep less at a time, or have the operator raise it.`,
      spares: { count: 1, ...options.spares },
      hostCalls: withOwnHostCalls(options.hostCalls ?? {}, 'snake_case', programGlobals),
      ownFiles: async () => ({
        ...(await this.#snapshot.files()),
        ...this.#packages.files,
      }),
      messageFor: (code) => ({ code, limits }),
    });
  }

  /**
   * Runs one program; see the `Sandbox` interface.
   *
   * @throws CodeExecutorError `failed_precondition` if Deno is missing or the required isolation does not work
   * here; `invalid_argument` for `permissions.read` and `permissions.write`.
   */
  async execute(request: ExecutionRequest): Promise<ExecutionResult> {
    const { read, write } = request.permissions;
    if (read.length + write.length > 0) {
      throw new CodeExecutorError(
        'invalid_argument',
        'Python programs take no permissions.read and permissions.write; call a filesystem tool.',
      );
    }
    // Spare processes have already read the old list of packages.
    if (this.#packages.takeChange()) this.#runner.dropSpares();
    return this.#runner.execute(request);
  }

  async status(): Promise<SandboxStatus> {
    const status = await this.#runner.status();
    const notes = [status.note, this.#snapshot.problem].filter((note) => note !== undefined);
    return { ...status, ...(notes.length > 0 && { note: notes.join(' ') }) };
  }

  /** Ends every running program; resolves when their processes are gone. */
  async close(): Promise<void> {
    await this.#runner.close();
    await this.#snapshot.close();
  }
}

/** Python reaches `wasmMb` first, as a MemoryError. The kernel's limit ends a process that gets around that. */
function processLimits(memoryMb: number) {
  return { heapMb, memoryMb: memoryMb + reserveMb, wasmMb: memoryMb - overheadMb };
}
