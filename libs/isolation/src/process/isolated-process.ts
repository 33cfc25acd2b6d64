import { type ChildProcess, spawn } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { within } from '@code-executor/contracts';
import { readInTurns, writeTogether } from '@code-executor/pipes';

import type { IsolatedCommand, Walls } from '../command.js';
import { type ExitStatus, exitStatus } from './exit-status.js';
import { onlyThese } from './inherited-descriptors.js';
import { innermost, isHalted, namelessFileBytes, residentMb } from './process-tree.js';

/** A pipe holds no more than is read in so many turns. */
const maxTurns = 16;

/** Takes what a process writes to one stream. */
export interface ByteReader {
  push(bytes: Buffer): void;
  /** The stream is over. */
  end(): void;
}

export interface OutputReaders {
  stdout: ByteReader;
  stderr: ByteReader;
  /** The process has written more than it may, and is ended. */
  onTooMuch(): void;
}

/** A running process behind walls, in a group of its own that ends as a whole. */
export class IsolatedProcess {
  /** Settles when the process is gone and its output has been read to the end. */
  readonly exit: Promise<ExitStatus>;
  readonly #child: ChildProcess;
  readonly #command: IsolatedCommand;
  readonly #maxOutputBytes: number;
  #outputBytes = 0;
  #isGone = false;
  #innermost: number | undefined;

  /** @param maxOutputBytes - Everything that the process may write in its life, in bytes; more ends it. */
  constructor(command: IsolatedCommand, maxOutputBytes: number) {
    this.#command = command;
    this.#maxOutputBytes = maxOutputBytes;
    this.#child = spawn(command.file, command.args, {
      ...command.spawnOptions,
      // A group of its own, so that everything it starts ends with it; and a session without a terminal.
      detached: true,
      stdio: onlyThese(streamsOf(command)),
    });
    this.exit = this.#watchExit();
    // A process that died takes no input: its exit tells the story.
    this.#child.stdin?.on('error', () => undefined);
    if (command.filter) {
      const filterPipe = this.#child.stdio[3] as NodeJS.WritableStream;
      filterPipe.on('error', () => undefined);
      filterPipe.end(command.filter);
    }
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isolation(): Walls {
    return this.#command.isolation;
  }

  /** Host paths that must not be seen outside, with what to show instead. */
  get hiddenPaths(): IsolatedCommand['hiddenPaths'] {
    return this.#command.hiddenPaths;
  }

  /** Resident memory of the process and what stands around it, in MiB; 0 where there is no `/proc`. */
  get residentMb(): number {
    return residentMb(this.pid);
  }

  /** Whether the program was stopped, is traced, or is dead: it would not answer. Asked only once it runs. */
  get isHalted(): boolean {
    this.#innermost ??= innermost(this.pid);
    return isHalted(this.#innermost);
  }

  /** Bytes that the process has on disk now, where that is not bounded otherwise. */
  async diskBytes(): Promise<number> {
    if (!this.#command.diskBytes) return 0;
    const [named, nameless] = await Promise.all([this.#command.diskBytes(), namelessFileBytes(this.pid)]);
    return named + nameless;
  }

  /** Reads what the process writes. Without a reader, it waits once its pipes are full, and `exit` never settles. */
  read(readers: OutputReaders): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const pipe = this.#child[stream];
      if (!pipe) continue;
      const reader = readers[stream];
      readInTurns(pipe, (bytes) => {
        this.#outputBytes += bytes.length;
        if (this.#outputBytes <= this.#maxOutputBytes) {
          reader.push(bytes);
          return;
        }
        this.#signal('SIGKILL');
        readers.onTooMuch();
      });
      pipe.on('end', () => reader.end());
      pipe.on('error', () => undefined);
    }
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

  /** Writes to the stdin of the process; resolves when it has taken that, or is gone. */
  send(data: string | Buffer): Promise<void> {
    const { stdin } = this.#child;
    if (this.#isGone || !stdin) return Promise.resolve();
    return new Promise((resolve) => writeTogether(stdin, data, resolve));
  }

  /** Asks the whole group to end, and makes it end after `graceMs` milliseconds. */
  async kill(graceMs: number): Promise<void> {
    if (graceMs > 0) {
      this.#signal('SIGTERM');
      await within(graceMs, this.exit);
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
}

function streamsOf({ filter, handles = [] }: IsolatedCommand): ('pipe' | number)[] {
  const streams = ['pipe', 'pipe', 'pipe'] as const;
  return [...streams, ...(filter ? (['pipe'] as const) : []), ...handles.map(({ fd }) => fd)];
}
