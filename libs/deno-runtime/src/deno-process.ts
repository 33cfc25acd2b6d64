import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

import { type IsolationMode, type OutputChunk, readInTurns, writeTogether } from '@code-executor/contracts';

import type { DenoCommand } from './command/deno-command.js';
import { onlyThese } from './inherited-descriptors.js';
import { namelessFileBytes } from './process-tree.js';
import { FrameReader } from './protocol/frame-reader.js';
import { readFrame, type SandboxFrame } from './protocol/sandbox-frame.js';

/** One frame from the sandbox, in bytes; the bootstrap refuses to send more. */
export const maxFrameBytes = 1024 * 1024;

/** A pipe holds no more than is read in so many turns. */
const maxTurns = 16;

export interface DenoProcessOptions {
  /** Everything that the process may write in its life, in bytes; more ends it. */
  maxOutputBytes: number;
  /** The process warms up before it is ready, because its program comes later. Default false. */
  isSpare?: boolean;
}

/** How the process ended; `signal` also where a shell or bubblewrap reported it as 128 + n. */
export interface ExitStatus {
  code: number | undefined;
  signal: number | undefined;
}

/** Limits of the pipe, by the name of what was exceeded. */
export type ProtocolViolation = 'oversized_frame' | 'malformed_frame' | 'too_much_output';

export interface DenoProcessListener {
  /** `cost` is what the frame takes in memory, about. */
  onFrame?(frame: SandboxFrame, cost: number): void;
  onOutput?(chunk: OutputChunk): void;
  onViolation?(violation: ProtocolViolation): void;
}

/** A running Deno process and its pipe: frames and printed text out, frames in. */
export class DenoProcess {
  /** Settles when the process is gone and its output has been read to the end. */
  readonly exit: Promise<ExitStatus>;
  /**
   * Whether it got as far as to take a program. Only then it is bound to the server's life, so only
   * then it may get one: a server that is killed while a process starts leaves none behind.
   */
  readonly ready: Promise<boolean>;
  readonly #child: ChildProcess;
  readonly #command: DenoCommand;
  readonly #maxOutputBytes: number;
  #outputBytes = 0;
  #listener: DenoProcessListener = {};
  #isGone = false;
  #setReady: (() => void) | undefined;

  constructor(command: DenoCommand, options: DenoProcessOptions) {
    this.#command = command;
    this.#maxOutputBytes = options.maxOutputBytes;
    const nonce = randomBytes(16).toString('hex');
    this.#child = spawn(command.file, command.args, {
      ...command.spawnOptions,
      // A group of its own, so that everything it starts ends with it; and a session without a terminal.
      detached: true,
      stdio: onlyThese(streamsOf(command)),
    });
    this.exit = this.#watchExit();
    this.ready = new Promise((resolve) => {
      this.#setReady = () => resolve(true);
      void this.exit.then(() => resolve(false));
    });
    this.#readFrames(nonce);
    this.#readErrors();
    // A process that died takes no input: its exit tells the story.
    this.#child.stdin?.on('error', () => undefined);
    if (command.filter) {
      const filterPipe = this.#child.stdio[3] as NodeJS.WritableStream;
      filterPipe.on('error', () => undefined);
      filterPipe.end(command.filter);
    }
    const { ownFiles } = command;
    void this.send(`${JSON.stringify({ nonce, isSpare: options.isSpare === true, ownFiles })}\n`);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isolation(): IsolationMode {
    return this.#command.isolation;
  }

  /** Host paths that must not be seen outside, with what to show instead. */
  get hiddenPaths(): DenoCommand['hiddenPaths'] {
    return this.#command.hiddenPaths;
  }

  /** Bytes that the process has on disk now, where that is not bounded otherwise. */
  async diskBytes(): Promise<number> {
    if (!this.#command.diskBytes) return 0;
    const [named, nameless] = await Promise.all([this.#command.diskBytes(), namelessFileBytes(this.pid)]);
    return named + nameless;
  }

  /** Replaces the listener; what arrives before there is one is dropped. */
  listen(listener: DenoProcessListener): void {
    this.#listener = listener;
  }

  /**
   * Resolves when all has been read that the process has written so far: what it has written to one pipe may come
   * before what it wrote earlier to the other one, and a busy server meets its timers before both.
   */
  async untilRead(): Promise<void> {
    for (let turns = 0, read = -1; turns < maxTurns && read !== this.#outputBytes; turns++) {
      read = this.#outputBytes;
      // What is there at the end of this turn is read in the next one.
      await nextTurn();
      await nextTurn();
    }
  }

  /** Sends one message, a line of JSON text with its end; resolves when the process has taken it, or is gone. */
  send(line: string | Buffer): Promise<void> {
    const { stdin } = this.#child;
    if (this.#isGone || !stdin) return Promise.resolve();
    return new Promise((resolve) => writeTogether(stdin, line, resolve));
  }

  /** Asks the whole group to end, and makes it end after `graceMs` milliseconds. */
  async kill(graceMs: number): Promise<void> {
    if (graceMs > 0) {
      this.#signal('SIGTERM');
      await Promise.race([this.exit, delay(graceMs, undefined, { ref: false })]);
    }
    this.#signal('SIGKILL');
    await this.exit;
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#isGone) return;
    try {
      process.kill(process.platform === 'win32' ? pid : -pid, signal);
    } catch {
      // The group is gone already.
    }
  }

  async #watchExit(): Promise<ExitStatus> {
    const status = await new Promise<ExitStatus>((resolve) => {
      this.#child.once('error', () => resolve({ code: undefined, signal: undefined }));
      this.#child.once('exit', () => {
        // Whatever it left in its group would keep the pipes open.
        this.#signal('SIGKILL');
      });
      this.#child.once('close', (code, signal) => resolve(exitStatus(code, signal)));
    });
    this.#isGone = true;
    await this.#command.cleanUp().catch(() => undefined);
    return status;
  }

  /** Frames and printed text share stdout. */
  #readFrames(nonce: string): void {
    const reader = new FrameReader(nonce, maxFrameBytes, {
      onText: (text) => this.#listener.onOutput?.({ stream: 'stdout', text }),
      onOversizedFrame: () => this.#violate('oversized_frame'),
      onFrame: (json, cost) => {
        const frame = readFrame(json);
        if (frame?.type === 'ready' && this.#setReady) {
          this.#command.onReady?.();
          this.#setReady();
          // Once: whoever says it again is not the bootstrap.
          this.#setReady = undefined;
        } else if (frame) this.#listener.onFrame?.(frame, cost);
        else this.#violate('malformed_frame');
      },
    });
    this.#read('stdout', { push: (bytes) => reader.push(bytes), end: () => reader.end() });
  }

  #readErrors(): void {
    const decoder = new TextDecoder();
    const tell = (text: string) => text && this.#listener.onOutput?.({ stream: 'stderr', text });
    this.#read('stderr', {
      push: (bytes) => tell(decoder.decode(bytes, { stream: true })),
      end: () => tell(decoder.decode()),
    });
  }

  #read(stream: OutputChunk['stream'], reader: { push: (bytes: Buffer) => void; end: () => void }): void {
    const pipe = this.#child[stream];
    if (!pipe) return;
    readInTurns(pipe, (bytes) => {
      this.#outputBytes += bytes.length;
      if (this.#outputBytes > this.#maxOutputBytes) this.#violate('too_much_output');
      else reader.push(bytes);
    });
    pipe.on('end', () => reader.end());
    pipe.on('error', () => undefined);
  }

  #violate(violation: ProtocolViolation): void {
    this.#signal('SIGKILL');
    this.#listener.onViolation?.(violation);
  }
}

function streamsOf({ filter, handles = [] }: DenoCommand): ('pipe' | number)[] {
  const streams = ['pipe', 'pipe', 'pipe'] as const;
  return [...streams, ...(filter ? (['pipe'] as const) : []), ...handles.map(({ fd }) => fd)];
}

const signalNumbers: Partial<Record<NodeJS.Signals, number>> = {
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
};

function exitStatus(code: number | null, signal: NodeJS.Signals | null): ExitStatus {
  if (signal) return { code: undefined, signal: signalNumbers[signal] };
  if (code !== null && code > 128 && code < 160) return { code, signal: code - 128 };
  return { code: code ?? undefined, signal: undefined };
}
