import type { ExecutionRequest, ExecutionResult, Sandbox, SandboxStatus } from '@code-executor/contracts';
import { CodeExecutorError } from '@code-executor/contracts';
import {
  chooseIsolation,
  denoCommand,
  DenoProcess,
  fetchHandler,
  fileHandlers,
  findDeno,
  type Grants,
  type HostCallHandlers,
  type Isolation,
  maxJsonDepth,
  type ProgramOutcome,
  resolveGrants,
  runProgram,
  type SpareOptions,
  SparePool,
  toolHandlers,
} from '@code-executor/deno-runtime';

import { bodyPrefix, showProgramOnly, startMark } from './program-text.js';

export interface DenoSandboxOptions {
  /** A Deno binary of version 2.9.5 or newer. Default: the one of the npm package `deno`. */
  denoPath?: string;
  /** `auto` (default) is strict where bubblewrap works, else portable; a demanded mode is had or refused. */
  isolation?: Isolation;
  /** V8 heap of a program, in MiB. Default 128. */
  heapMb?: number;
  /** Memory of a program beyond what an idle Deno needs, in MiB. Default 256. */
  memoryMb?: number;
  /** Characters kept of each of stdout and stderr, and of the value. Default 100,000. */
  maxOutputChars?: number;
  /** Unused processes that wait for a program. Default: 4, for ten minutes, with 512 MiB together. */
  spares?: SpareOptions;
}

/** Made of `assets/` by `bundle.mjs`, also for tests: they run what is published. */
const bootstrap = new URL('../dist/bootstrap/bootstrap.js', import.meta.url);
/** Everything that a program may write in its life; more ends it. */
const maxOutputBytes = 64 * 1024 * 1024;
/** The longest time limit that a spare serves; its CPU limit is set when it starts. */
const maxTimeoutMs = 300_000;
/** How long a process may take until it has its program; a spare only has to read it. */
const coldStartMs = 30_000;
const spareStartMs = 2000;
const noGrants: Grants = { read: [], write: [] };
/** A value must fit into one frame, at up to three bytes per character. */
const maxValueChars = 300_000;

/** Runs TypeScript, each program in a Deno process of its own that ends with it. */
export class DenoSandbox implements Sandbox {
  readonly language = 'typescript';
  readonly #options: Required<Omit<DenoSandboxOptions, 'denoPath' | 'spares'>> & {
    denoPath: string | undefined;
  };
  readonly #spares: SparePool;
  readonly #processes = new Set<DenoProcess>();
  #running = 0;
  #isClosed = false;

  constructor(options: DenoSandboxOptions = {}) {
    this.#options = {
      denoPath: options.denoPath,
      isolation: options.isolation ?? 'auto',
      heapMb: options.heapMb ?? 128,
      memoryMb: options.memoryMb ?? 256,
      maxOutputChars: options.maxOutputChars ?? 100_000,
    };
    this.#spares = new SparePool(options.spares ?? {}, () => this.#start(maxTimeoutMs, noGrants, true));
  }

  /**
   * Runs one program; see the `Sandbox` interface.
   *
   * @throws CodeExecutorError `failed_precondition` when there is no Deno, or the demanded isolation
   * cannot be had; `permission_denied` when a granted path cannot be granted.
   */
  async execute(request: ExecutionRequest): Promise<ExecutionResult> {
    const grants = await resolveGrants(request.permissions);
    const isDefault = grants.read.length + grants.write.length === 0 && request.timeoutMs <= maxTimeoutMs;
    const spare = isDefault ? this.#spares.take() : undefined;
    if (spare) {
      const { hasStarted, result } = await this.#run(spare, request, grants, spareStartMs);
      // It died while it waited, so the program has not run: it gets a process of its own.
      if (hasStarted) return result;
    }
    const process = await this.#start(request.timeoutMs, grants, false);
    const { hasStarted, result } = await this.#run(process, request, grants, coldStartMs);
    if (hasStarted) return result;
    const reason = result.stderr.trim().split('\n')[0]?.slice(0, 200) ?? '';
    throw new CodeExecutorError('failed_precondition', `The sandbox process could not start: ${reason}`);
  }

  async #start(timeoutMs: number, grants: Grants, isSpare: boolean): Promise<DenoProcess> {
    const { heapMb, memoryMb } = this.#options;
    const denoPath = await findDeno(this.#options.denoPath);
    const { mode } = await chooseIsolation(denoPath, this.#options.isolation);
    const limits = { heapMb, memoryMb, cpuSeconds: Math.ceil(timeoutMs / 1000) * 2 + 10 };
    const command = await denoCommand(mode, { denoPath, script: bootstrap, limits, grants });
    if (this.#isClosed) {
      await command.cleanUp();
      throw new CodeExecutorError('unavailable', 'The sandbox is closed.');
    }
    return new DenoProcess(command, { maxOutputBytes, isSpare });
  }

  async #run(
    process: DenoProcess,
    request: ExecutionRequest,
    grants: Grants,
    startLimitMs: number,
  ): Promise<ProgramOutcome> {
    this.#running++;
    this.#processes.add(process);
    void process.exit.then(() => this.#processes.delete(process));
    const servesFiles = process.isolation === 'portable' && grants.read.length + grants.write.length > 0;
    const { maxOutputChars } = this.#options;
    try {
      return await runProgram(process, request, {
        maxOutputChars,
        startLimitMs,
        cleanText: showProgramOnly,
        handlers: handlersOf(request, servesFiles ? grants : undefined),
        run: {
          code: request.code,
          servesFiles,
          startMark,
          bodyPrefix,
          limits: { maxValueChars: Math.min(maxOutputChars, maxValueChars), maxDepth: maxJsonDepth - 10 },
        },
      });
    } finally {
      this.#running--;
      if (this.#running === 0) this.#spares.fill();
    }
  }

  async status(): Promise<SandboxStatus> {
    const { language } = this;
    try {
      const denoPath = await findDeno(this.#options.denoPath);
      const { mode, note } = await chooseIsolation(denoPath, this.#options.isolation);
      return { language, isolation: mode, ...(note !== undefined && { note }), spares: this.#spares.status };
    } catch (error) {
      return { language, note: CodeExecutorError.from(error).message };
    }
  }

  /** Ends every running program; resolves when their processes are gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#spares.close(), ...[...this.#processes].map((process) => process.kill(0))]);
  }
}

function handlersOf(request: ExecutionRequest, served: Grants | undefined): HostCallHandlers {
  return new Map([
    ...toolHandlers(request.tools),
    ['fetch', fetchHandler(request.fetcher, request.permissions.net)],
    ...(served ? fileHandlers(served) : []),
  ]);
}
