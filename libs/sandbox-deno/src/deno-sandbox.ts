import {
  type ExecutionRequest,
  type ExecutionResult,
  type Sandbox,
  type SandboxStatus,
} from '@code-executor/contracts';
import { maxJsonDepth } from '@code-executor/pipes';
import { DenoRunner, type SpareOptions } from '@code-executor/deno-runtime';
import type { Isolation } from '@code-executor/isolation';
import { type HostCallHandlers, withOwnHostCalls } from '@code-executor/sandbox-channel';

import { programGlobals } from './program-globals.js';
import { bodyPrefix, showProgramOnly, startMark } from './program-text.js';

export interface DenoSandboxOptions {
  /** A Deno binary of version 2.9.5 or newer. Default: the one of the npm package `deno`. */
  denoPath?: string;
  /** `auto` (default) is strict if bubblewrap works, else portable. A required mode is never replaced by another. */
  isolation?: Isolation;
  /** V8 heap of a program, in MiB. Default 128. */
  heapMb?: number;
  /** Memory of a program beyond what an idle Deno needs, in MiB. Default 256. */
  memoryMb?: number;
  /** Characters kept of each of stdout and stderr, and of the value. Default 100,000. */
  maxOutputChars?: number;
  /** Unused processes that wait for a program. Default: 4, for ten minutes, with 512 MiB together. */
  spares?: SpareOptions;
  /**
   * Your own functions for programs, by their names in camel case: a program that calls `await now({ … })` gets the
   * answer of the handler `now`. Default: none.
   */
  hostCalls?: HostCallHandlers;
}

/** `bundle.mjs` builds it from `assets/`. Tests run it too, because it is what users get. */
const bootstrap = new URL('../dist/bootstrap/bootstrap.js', import.meta.url);
/** A value must fit into one frame, at up to three bytes per character. */
const maxValueChars = 300_000;

/** Runs TypeScript. Each program gets its own Deno process, which ends with the program. */
export class DenoSandbox implements Sandbox {
  readonly language = 'typescript';
  readonly #runner: DenoRunner;

  /** @throws CodeExecutorError `invalid_argument` if a name in `hostCalls` is not in camel case, or is taken. */
  constructor(options: DenoSandboxOptions = {}) {
    const { denoPath, isolation = 'auto', heapMb = 128, memoryMb = 256, spares = {} } = options;
    const { maxOutputChars = 100_000, hostCalls = {} } = options;
    const limits = { maxValueChars: Math.min(maxOutputChars, maxValueChars), maxDepth: maxJsonDepth - 10 };
    this.#runner = new DenoRunner({
      language: this.language,
      script: bootstrap,
      denoPath,
      isolation,
      limits: { heapMb, memoryMb },
      maxOutputChars,
      memoryAdvice: `A program has ${heapMb} MB for objects (executors.typescript.heapMb) and ${memoryMb} MB in all (executors.typescript.memoryMb): keep less at a time, or have the operator raise them.`,
      spares,
      hostCalls: withOwnHostCalls(hostCalls, 'camelCase', programGlobals),
      messageFor: (code, servesFiles) => ({ code, servesFiles, startMark, bodyPrefix, limits }),
      cleanText: showProgramOnly,
    });
  }

  /**
   * Runs one program; see the `Sandbox` interface.
   *
   * @throws CodeExecutorError `failed_precondition` if Deno is missing or the required isolation does not work
   * here; `permission_denied` if a path must not be granted.
   */
  execute(request: ExecutionRequest): Promise<ExecutionResult> {
    return this.#runner.execute(request);
  }

  status(): Promise<SandboxStatus> {
    return this.#runner.status();
  }

  /** Ends every running program; resolves when their processes are gone. */
  close(): Promise<void> {
    return this.#runner.close();
  }
}
