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
  maxFrameBytes,
  maxJsonDepth,
  resolveGrants,
  runProgram,
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
}

const bootstrap = new URL('../assets/bootstrap.js', import.meta.url);
/** Everything that a program may write in its life; more ends it. */
const maxOutputBytes = 64 * 1024 * 1024;
/** A value must fit into one frame, at up to three bytes per character. */
const maxValueChars = 300_000;

/** Runs TypeScript, each program in a Deno process of its own that ends with it. */
export class DenoSandbox implements Sandbox {
  readonly language = 'typescript';
  readonly #options: Required<Omit<DenoSandboxOptions, 'denoPath'>> & { denoPath: string | undefined };
  readonly #running = new Map<DenoProcess, Promise<unknown>>();
  #isClosed = false;

  constructor(options: DenoSandboxOptions = {}) {
    this.#options = {
      denoPath: options.denoPath,
      isolation: options.isolation ?? 'auto',
      heapMb: options.heapMb ?? 128,
      memoryMb: options.memoryMb ?? 256,
      maxOutputChars: options.maxOutputChars ?? 100_000,
    };
  }

  /**
   * Runs one program; see the `Sandbox` interface.
   *
   * @throws CodeExecutorError `failed_precondition` when there is no Deno, or the demanded isolation
   * cannot be had; `permission_denied` when a granted path cannot be granted.
   */
  async execute(request: ExecutionRequest): Promise<ExecutionResult> {
    const { heapMb, memoryMb, maxOutputChars } = this.#options;
    const denoPath = await findDeno(this.#options.denoPath);
    const { mode } = await chooseIsolation(denoPath, this.#options.isolation);
    const grants = await resolveGrants(request.permissions);
    const limits = { heapMb, memoryMb, cpuSeconds: Math.ceil(request.timeoutMs / 1000) * 2 + 10 };
    const command = await denoCommand(mode, { denoPath, script: bootstrap, limits, grants });
    if (this.#isClosed) {
      await command.cleanUp();
      throw new CodeExecutorError('unavailable', 'The sandbox is closed.');
    }
    const process = new DenoProcess(command, { maxOutputBytes });
    this.#running.set(
      process,
      process.exit.then(() => this.#running.delete(process)),
    );
    const servesFiles = mode === 'portable' && grants.read.length + grants.write.length > 0;
    return runProgram(process, request, {
      isolation: mode,
      maxOutputChars,
      cleanText: showProgramOnly,
      handlers: handlersOf(request, servesFiles ? grants : undefined),
      run: {
        code: request.code,
        servesFiles,
        maxFrameBytes,
        startMark,
        bodyPrefix,
        limits: { maxValueChars: Math.min(maxOutputChars, maxValueChars), maxDepth: maxJsonDepth - 10 },
      },
    });
  }

  async status(): Promise<SandboxStatus> {
    const { language } = this;
    try {
      const denoPath = await findDeno(this.#options.denoPath);
      const { mode, note } = await chooseIsolation(denoPath, this.#options.isolation);
      return { language, isolation: mode, ...(note !== undefined && { note }) };
    } catch (error) {
      return { language, note: CodeExecutorError.from(error).message };
    }
  }

  /** Ends every running program; resolves when their processes are gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running].map(([process]) => process.kill(0)));
    await Promise.all(this.#running.values());
  }
}

function handlersOf(request: ExecutionRequest, served: Grants | undefined): HostCallHandlers {
  return new Map([
    ...toolHandlers(request.tools),
    ['fetch', fetchHandler(request.fetcher, request.permissions.net)],
    ...(served ? fileHandlers(served) : []),
  ]);
}
