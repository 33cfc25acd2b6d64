import type { ChildProcessWithoutNullStreams as Child } from 'node:child_process';
import { once } from 'node:events';

import { within } from '@code-executor/contracts';
import { type CutMessage, readInTurns, writeTogether } from '@code-executor/pipes';
import spawn from 'cross-spawn';

import { killAtExit, killTree, leadsGroup } from './kill-tree.js';
import { LineReader } from './line-reader.js';
import type { StdioServer } from '../options.js';
import { TextTail } from './text-tail.js';

const stderrBytes = 8192;
const maxUnreadInputBytes = 64 * 1024 * 1024;
/** How long a child may take to end after its input closed, and again after SIGTERM. */
const graceMs = 500;
/** How long output may still arrive after the child has ended. */
const drainMs = 500;

/** Why a process cannot be used any more. */
export interface ProcessEnd {
  /** What happened, as the rest of a sentence: "exited with code 1". */
  how: string;
  /** A line was longer than allowed. */
  isOverflow: boolean;
}

export interface ServerProcessOptions {
  server: StdioServer;
  /** The whole environment of the child. */
  env: Record<string, string>;
  onLine: (line: string) => void;
  /** Called for a line that is too expensive to parse; false if it cannot be left out. */
  onCutLine: (line: CutMessage) => boolean;
  /** Called once, also after `close()`. */
  onEnd: (end: ProcessEnd) => void;
}

/** A child process that speaks lines over stdin and stdout, and is ended together with its descendants. */
export class ServerProcess {
  readonly #options: ServerProcessOptions;
  readonly #stderr = new TextTail(stderrBytes);
  #child: Child | undefined;
  #exited: Promise<void> = Promise.resolve();
  #endTimer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  #closing: Promise<void> | undefined;

  constructor(options: ServerProcessOptions) {
    this.#options = options;
  }

  /** The last 8 KB that the child wrote to stderr. */
  get stderr(): TextTail {
    return this.#stderr;
  }

  /** Resolves when the process runs; rejects with the system's error when it cannot be started. */
  async start(): Promise<void> {
    const { server, env } = this.#options;
    const child = spawn(server.command, server.args ?? [], {
      env,
      ...(server.cwd !== undefined && { cwd: server.cwd }),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: leadsGroup,
      windowsHide: true,
    });
    const started = once(child, 'spawn');
    // Without process identifiers there are no streams to watch either; `started` rejects.
    if (child.pid !== undefined) this.#watch(child);
    await started;
  }

  /** Resolves when the text is in the pipe, or never will be; errors show as the end of the process. */
  write(text: string): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin || this.#hasEnded) return Promise.resolve();
    if (stdin.writableLength > maxUnreadInputBytes) {
      this.#end('does not read its input');
      return Promise.resolve();
    }
    return new Promise((resolve) => writeTogether(stdin, text, resolve));
  }

  /** Closes the child's input, then asks with SIGTERM, then kills; done in two seconds at most. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #watch(child: Child): void {
    this.#child = child;
    killAtExit(child);
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
    const onTooLarge = () => this.#end('sent too large a message', true);
    const reader = new LineReader({
      onLine: (line) => {
        if (!this.#hasEnded) this.#options.onLine(line);
      },
      onCutLine: (line) => {
        if (!this.#hasEnded && !this.#options.onCutLine(line)) onTooLarge();
      },
    });
    readInTurns(child.stdout, (chunk) => {
      if (!this.#hasEnded && !reader.push(chunk)) onTooLarge();
    });
    child.stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    child.on('error', () => {});
    child.stdout.on('error', () => {});
    child.stderr.on('error', () => {});
    // If the process has exited, that is the reason.
    const closes = (how: string) => {
      if (child.exitCode === null && child.signalCode === null) this.#endSoon(how);
    };
    child.stdin.on('error', () => closes('closed its input'));
    child.stdout.on('end', () => closes('closed its output'));
    child.stdout.on('close', () => reader.drop());
    child.once('exit', (code, signal) => {
      const how = signal ? `was ended by ${signal}` : `exited with code ${code ?? 'unknown'}`;
      // Its descendants have no use any more, and would keep the pipes open.
      if (leadsGroup) killTree(child, 'SIGKILL');
      this.#endSoon(how);
      child.once('close', () => this.#end(how));
    });
  }

  /** Leaves time for output on its way, and for a better reason, because a process that exits closes its streams too. */
  #endSoon(how: string): void {
    if (this.#hasEnded) return;
    clearTimeout(this.#endTimer);
    this.#endTimer = setTimeout(() => this.#end(how), drainMs);
  }

  #end(how: string, isOverflow = false): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#endTimer);
    this.#options.onEnd({ how, isOverflow });
    void this.close();
  }

  async #close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    child.stdin.end();
    if (!(await this.#exitsWithin(graceMs))) {
      if (leadsGroup) killTree(child, 'SIGTERM');
      if (!(await this.#exitsWithin(graceMs))) {
        killTree(child, 'SIGKILL');
        await this.#exitsWithin(drainMs);
      }
    }
    this.#end('was closed');
    child.stdout.destroy();
    child.stderr.destroy();
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    const exit = this.#exited.then(() => true);
    return (await within(ms, exit)) ?? false;
  }
}
