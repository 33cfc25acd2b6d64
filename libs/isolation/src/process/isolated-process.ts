import { type ChildProcess, spawn } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { within } from '@code-executor/contracts';
import { BatchWriter, readInTurns } from '@code-executor/pipes';

import type { IsolatedCommand, Walls } from '../command.js';
import { type ExitStatus, exitStatus } from './exit-status.js';
import { onlyThese } from './inherited-descriptors.js';
import { innermost, isHalted, namelessFileBytes, residentMb } from './process-tree.js';

/** Everything that a pipe can hold is read within this many turns of the event loop. */
const maxTurns = 16;

/** Takes what a process writes to one stream. */
export interface ByteReader {
  push(bytes: Buffer): void;
  /** Called at the end of the stream. */
  end(): void;
}

export interface OutputReaders {
  stdout: ByteReader;
  stderr: ByteReader;
  /** Called when the process has written more than it may; the process is ended. */
  onTooMuch(): void;
}

/** A running process behind walls, in a group of its own that ends as a whole. */
export class IsolatedProcess {
  /** Settles when the process is gone and its output has been read to the end. */
  readonly exit: Promise<ExitStatus>;
  readonly #child: ChildProcess;
  readonly #command: IsolatedCommand;
  readonly #maxOutputBytes: number;
  readonly #stdin: BatchWriter | undefined;
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
    // Writing to a dead process fails; its exit status says what happened.
    this.#child.stdin?.on('error', () => undefined);
    this.#stdin = this.#child.stdin ? new BatchWriter(this.#child.stdin) : undefined;
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

  /** Host paths that must not appear in output, each with the text to show instead. */
  get hiddenPaths(): IsolatedCommand['hiddenPaths'] {
    return this.#command.hiddenPaths;
  }

  /** Resident memory of the process and of the walls around it, in MiB; 0 if there is no `/proc`. */
  get residentMb(): number {
    return residentMb(this.pid);
  }

  /** Whether the program is stopped, traced or dead, so that it would not answer. Use it only once the program runs. */
  get isHalted(): boolean {
    this.#innermost ??= innermost(this.pid);
    return isHalted(this.#innermost);
  }

  /** Bytes that the process has on disk now; 0 if its file system has a fixed size. */
  async diskBytes(): Promise<number> {
    if (!this.#command.diskBytes) return 0;
    const [named, nameless] = await Promise.all([this.#command.diskBytes(), namelessFileBytes(this.pid)]);
    return named + nameless;
  }

  /** Reads what the process writes. Without this, it blocks once its pipes are full, and `exit` never settles. */
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
   * Resolves when everything that the process has written so far has been read. Output on one pipe may arrive before
   * earlier output on the other, and on a busy server timers fire before either of them is read.
   */
  async untilRead(): Promise<void> {
    for (let turns = 0, read = -1; turns < maxTurns && read !== this.#outputBytes; turns++) {
      read = this.#outputBytes;
      // What has arrived by the end of this turn is read in the next one.
      await nextTurn();
      await nextTurn();
    }
  }

  /** Writes to the stdin of the process; resolves when the process has taken the data or is gone. */
  send(data: string | Buffer): Promise<void> {
    const stdin = this.#stdin;
    if (this.#isGone || !stdin) return Promise.resolve();
    return new Promise((resolve) => stdin.write(data, resolve));
  }

  /** Asks the whole group to end, and kills it after `graceMs` milliseconds. */
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
        // Other processes of its group would keep the pipes open.
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
