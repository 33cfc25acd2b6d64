import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';

import { CodeExecutorError, type JsonValue, type OutputChunk } from '@code-executor/contracts';
import type { ExitStatus } from '@code-executor/isolation';
import { HostCalls, type SandboxFrame } from '@code-executor/sandbox-channel';

import type { DenoProcess } from './deno-process.js';
import type { Ending, ResultFrame } from './ending.js';
import { diskWatchMs, maxDiskBytes, maxStartMs } from './program-limits.js';
import type { ProgramOptions, ProgramRequest } from './program-options.js';
import { ProgramOutput } from './program-output.js';
import { RunClock } from './run-clock.js';

const programIsOver = new CodeExecutorError('cancelled', 'The program is over.');
const ranToItsEnd: ExitStatus = { code: 0, signal: undefined };

/** A program in its process: its output, its host calls and its result, its limits, and what ends it first. */
export class ProgramRun {
  readonly ending: Promise<Ending | ExitStatus>;
  readonly stdout: ProgramOutput;
  readonly stderr: ProgramOutput;
  /** Whether the process has taken the program. */
  hasArrived = false;
  /** When the program itself started, as given by `performance.now()`. */
  startedMs: number | undefined;
  result: ResultFrame | undefined;
  readonly #process: DenoProcess;
  readonly #request: ProgramRequest;
  readonly #options: ProgramOptions;
  readonly #hostCalls: HostCalls;
  /** Fires when the program is over. */
  readonly #over = new AbortController();
  #end!: (ending: Ending | ExitStatus) => void;
  #clock: RunClock | undefined;

  constructor(process: DenoProcess, request: ProgramRequest, options: ProgramOptions) {
    this.#process = process;
    this.#request = request;
    this.#options = options;
    // Each open call adds a listener, and Node would warn of a leak at the eleventh.
    setMaxListeners(0, this.#over.signal);
    const { table, context } = options.hostCalls;
    this.#hostCalls = new HostCalls(table, context, (line) => process.send(line), this.#over.signal);
    this.stdout = this.#outputOf('stdout');
    this.stderr = this.#outputOf('stderr');
    this.ending = new Promise((resolve) => (this.#end = resolve));
    process.listen({
      onOutput: ({ stream, text }) => this[stream].push(text),
      onViolation: this.#end,
      onFrame: (frame, cost) => this.#onFrame(frame, cost),
    });
    void process.exit.then(this.#end);
    this.#limitStart();
    this.#watchDisk();
    this.#endOnSignal();
    void process.ready.then(() => process.send(`${JSON.stringify(options.run)}\n`));
  }

  /** The time that the program has used. */
  get usedMs(): number {
    return this.#clock?.usedMs ?? 0;
  }

  /** Ignores everything that the program still sends, and ends its open calls. */
  stopListening(): void {
    // One reason for all runs, because creating the default reason captures a stack trace.
    this.#over.abort(programIsOver);
    this.#process.listen({});
  }

  #outputOf(stream: OutputChunk['stream']): ProgramOutput {
    const { onOutput } = this.#request;
    const { maxOutputChars: maxChars, cleanText } = this.#options;
    const onText = (text: string) => onOutput?.({ stream, text: cleanText(text) });
    return new ProgramOutput({ maxChars, hiddenPaths: this.#process.hiddenPaths, onText });
  }

  #onFrame(frame: SandboxFrame, cost: number): void {
    if (frame.type === 'call') {
      // No call is allowed after the result.
      if (this.result || !this.#hostCalls.accept(frame, cost)) this.#end('bad_call');
    } else if (frame.type === 'result') {
      // The bootstrap sends one result and cuts it to size, so anything else was written by the program itself.
      if (this.result || charsOf(frame.value) > this.#options.maxOutputChars) this.#end('bad_result');
      this.result ??= frame;
      // What the program printed before is already in the other pipe.
      void this.#process.untilRead().then(() => this.#end(ranToItsEnd));
    } else {
      this.hasArrived = true;
      if (frame.type === 'started' && this.startedMs === undefined) this.#startClock();
    }
  }

  #startClock(): void {
    this.startedMs = performance.now();
    const { timeoutMs, pause } = this.#request;
    const clock = new RunClock(timeoutMs, pause, () => {
      this.#afterReading(() => {
        if (!this.result) this.#end('timeout');
      });
    });
    this.#clock = clock;
    this.#onOver(() => clock.stop());
  }

  #limitStart(): void {
    this.#onTime(maxStartMs, () => {
      if (this.startedMs === undefined) this.#end('slow_start');
    });
    const { startLimitMs } = this.#options;
    if (startLimitMs === undefined) return;
    this.#onTime(startLimitMs, () => {
      if (this.hasArrived) return;
      // Ignore this process from now on, because another one gets the program.
      this.#process.listen({});
      void this.#process.kill(0);
    });
  }

  #watchDisk(): void {
    const watch = setInterval(() => {
      void this.#process.diskBytes().then((bytes) => {
        if (bytes > maxDiskBytes) this.#end('too_much_disk');
      });
    }, diskWatchMs);
    this.#onOver(() => clearInterval(watch));
  }

  #endOnSignal(): void {
    const { signal } = this.#request;
    const cancel = () => this.#end('cancelled');
    signal?.addEventListener('abort', cancel, { once: true, signal: this.#over.signal });
    if (signal?.aborted) cancel();
  }

  #onTime(ms: number, act: () => void): void {
    const timer = setTimeout(() => this.#afterReading(act), ms);
    this.#onOver(() => clearTimeout(timer));
  }

  /** After a busy phase of the server, timers fire before pipes are read: first read what has already arrived. */
  #afterReading(act: () => void): void {
    void this.#process.untilRead().then(act);
  }

  #onOver(cleanUp: () => void): void {
    this.#over.signal.addEventListener('abort', cleanUp);
  }
}

/** Characters of a value, as the limits count them. */
function charsOf(value: JsonValue | undefined): number {
  return typeof value === 'string' ? value.length : value === undefined ? 0 : JSON.stringify(value).length;
}
