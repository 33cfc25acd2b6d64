import {
  CodeExecutorError,
  type ExecutionRequest,
  type ExecutionResult,
  type Language,
  type SandboxStatus,
  untilAborted,
} from '@code-executor/contracts';
import { firstLineOf, type Grants, isServerFolder, type Isolation } from '@code-executor/isolation';
import { hostCallContext, type OwnHostCalls } from '@code-executor/sandbox-channel';

import { denoCommand, type DenoLimits, type OwnFiles } from './deno-command.js';
import { chooseDenoIsolation } from './deno-isolation.js';
import { DenoProcess } from './deno-process.js';
import { findDeno } from './find-deno.js';
import type { ProgramOptions } from './program-options.js';
import { type ProgramOutcome, runProgram } from './run-program.js';
import { type SpareOptions, SparePool } from './spare-pool.js';

export interface DenoRunnerOptions {
  language: Language;
  /** The trusted entry script. Processes see its folder, and nothing else of the product. */
  script: URL;
  denoPath: string | undefined;
  isolation: Isolation;
  limits: Omit<DenoLimits, 'cpuSeconds'>;
  maxOutputChars: number;
  /** Added to the error of a program that ran out of memory: how much it has, by which settings. Default: nothing. */
  memoryAdvice?: string;
  spares: SpareOptions;
  /** Files of the product that the entry script reads before it takes a program. Called at each start of a process. */
  ownFiles?: () => Promise<OwnFiles>;
  /** The message with the program for the entry script. `servesFiles` tells it to ask the server for files. */
  messageFor: (code: string, servesFiles: boolean) => object;
  /** Rewrites output and errors, so that they show what the program's author expects. Default: no change. */
  cleanText?: (text: string) => string;
  /** The host calls that programs can make. */
  hostCalls: OwnHostCalls;
}

/** How many bytes a process may write in total; one that writes more is ended. */
const maxOutputBytes = 64 * 1024 * 1024;
/** The longest time limit of programs that get a spare, because the CPU limit of a spare is set when it starts. */
const maxTimeoutMs = 300_000;
/** How long a spare may take to receive its program, which it only has to read. */
const spareStartMs = 2000;
const noGrants: Grants = { read: [], write: [] };

/** Runs each program in its own Deno process, which ends with the program. It uses a spare process if there is one. */
export class DenoRunner {
  readonly #options: DenoRunnerOptions;
  readonly #spares: SparePool;
  readonly #processes = new Set<DenoProcess>();
  #running = 0;
  #isClosed = false;

  constructor(options: DenoRunnerOptions) {
    this.#options = options;
    this.#spares = new SparePool(options.spares, () => this.#start(maxTimeoutMs, noGrants, true));
  }

  /**
   * Runs one program; see the `Sandbox` interface.
   *
   * @throws CodeExecutorError `failed_precondition` if there is no Deno, or the requested isolation does not work;
   * `permission_denied` if a path cannot be granted.
   */
  async execute(request: ExecutionRequest): Promise<ExecutionResult> {
    const askedMs = performance.now();
    const grants = request.permissions;
    const isDefault = grants.read.length + grants.write.length === 0 && request.timeoutMs <= maxTimeoutMs;
    const spare = isDefault ? this.#spares.take() : undefined;
    if (spare) {
      const { hasStarted, result } = await this.#run(spare, request, grants, {
        askedMs,
        startLimitMs: spareStartMs,
      });
      // The spare died while it waited, so the program has not run yet and gets a new process.
      if (hasStarted) return result;
    }
    const process = await this.#start(request.timeoutMs, grants, false, request.signal);
    const { hasStarted, result } = await this.#run(process, request, grants, { askedMs });
    if (hasStarted) return result;
    throw new CodeExecutorError(
      'failed_precondition',
      `The sandbox process could not start: ${firstLineOf(result.stderr)}`,
      { cause: new Error(result.stderr) },
    );
  }

  /** Ends waiting spares. Call this when the files that they were started from have changed. */
  dropSpares(): void {
    void this.#spares.drop();
  }

  async status(): Promise<SandboxStatus> {
    const { language, denoPath, isolation } = this.#options;
    try {
      const { mode, note } = await chooseDenoIsolation(await findDeno(denoPath), isolation);
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

  async #start(
    timeoutMs: number,
    grants: Grants,
    isSpare: boolean,
    signal?: AbortSignal,
  ): Promise<DenoProcess> {
    const { limits, script, isolation, hostCalls } = this.#options;
    const denoPath = await findDeno(this.#options.denoPath);
    const { mode } = await chooseDenoIsolation(denoPath, isolation);
    const command = await denoCommand(mode, {
      denoPath,
      script,
      limits: { ...limits, cpuSeconds: Math.ceil(timeoutMs / 1000) * 2 + 10 },
      grants,
      ...(await this.#ownFiles(signal)),
    });
    if (this.#isClosed) {
      await command.cleanUp();
      throw new CodeExecutorError('unavailable', 'The sandbox is closed.');
    }
    return new DenoProcess(command, { maxOutputBytes, isSpare, hostCalls: hostCalls.globals });
  }

  /** The files may have to be created first; a cancelled execution does not wait for that. */
  async #ownFiles(signal: AbortSignal | undefined): Promise<{ ownFiles?: OwnFiles }> {
    const { ownFiles } = this.#options;
    if (!ownFiles) return {};
    try {
      return { ownFiles: await untilAborted(ownFiles(), signal) };
    } catch (error) {
      if (signal?.aborted) throw new CodeExecutorError('cancelled', 'The execution was cancelled.');
      throw error;
    }
  }

  async #run(
    process: DenoProcess,
    request: ExecutionRequest,
    grants: Grants,
    start: Pick<ProgramOptions, 'askedMs' | 'startLimitMs'>,
  ): Promise<ProgramOutcome> {
    this.#running++;
    this.#processes.add(process);
    void process.exit.then(() => this.#processes.delete(process));
    const { maxOutputChars, cleanText = (text: string) => text, messageFor, memoryAdvice } = this.#options;
    const servesFiles = process.isolation === 'portable' && grants.read.length + grants.write.length > 0;
    const context = hostCallContext({
      tools: request.tools,
      fetcher: request.fetcher,
      net: request.permissions.net,
      files: servesFiles ? { grants, isWithheld: isServerFolder } : undefined,
    });
    try {
      const outcome = await runProgram(process, request, {
        ...start,
        maxOutputChars,
        cleanText,
        ...(memoryAdvice !== undefined && { memoryAdvice }),
        hostCalls: { table: this.#options.hostCalls.table, context },
        run: messageFor(request.code, servesFiles),
      });
      const { content } = context.pictures;
      return { ...outcome, result: { ...outcome.result, ...(content.length > 0 && { content }) } };
    } finally {
      this.#running--;
      if (this.#running === 0) this.#spares.fill();
    }
  }
}
