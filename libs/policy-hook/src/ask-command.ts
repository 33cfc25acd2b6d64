import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

import { printable, systemCodeOf } from '@code-executor/contracts';

import { HookFailure, maxAnswerBytes, tooLong, tooSlow } from './hook-failure.js';

export interface CommandOptions {
  program: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/** How much of what the program writes to stderr the log gets. */
const maxStderrChars = 1000;

/**
 * Runs the program with the text on its stdin; resolves with what it writes to stdout. When it ends, and at the time
 * limit, everything that it started is ended, too.
 */
export async function askCommand(text: string, options: CommandOptions): Promise<string> {
  const { program, args, env, timeoutMs, signal } = options;
  const isGroup = process.platform !== 'win32';
  const child: ChildProcess = spawn(program, args, {
    env,
    detached: isGroup,
    windowsHide: true,
    stdio: 'pipe',
  });
  // Listened to at once: a machine without free descriptors gives a child without streams, whose error comes later.
  child.on('error', () => undefined);
  const end = groupEnder(child, isGroup);
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  try {
    return await Promise.race([
      answerOf(child, text, end),
      new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(tooSlow(timeoutMs)), timeoutMs);
        onAbort = () => reject(new HookFailure('the call was cancelled'));
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
    ]);
  } finally {
    clearTimeout(timer);
    if (onAbort) signal?.removeEventListener('abort', onAbort);
    end();
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  }
}

async function answerOf(child: ChildProcess, text: string, end: () => void): Promise<string> {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr)
    throw new HookFailure('its command cannot be started (no free descriptors)');
  const complaints = tailOf(stderr);
  const answer = readAll(stdout);
  // It also fails when the program cannot be started, which is reported instead.
  answer.catch(() => undefined);
  // A program that decides without reading may have ended by now.
  stdin.on('error', () => undefined);
  stdin.end(text);
  const status = await Promise.race([endOf(child), answer.then(() => endOf(child))]);
  // Programs that it leaves behind hold the pipes open.
  end();
  const said = await answer;
  if (status === 0) return said;
  throw new HookFailure(`it ended with ${String(status)}`, { stderr: complaints() });
}

/** The exit code, or the signal that ended it. */
function endOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      const reason = systemCodeOf(error) ?? 'unknown reason';
      reject(new HookFailure(`its command cannot be started (${reason})`));
    });
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve(child.exitCode ?? child.signalCode ?? '');
      return;
    }
    child.once('exit', (code, signal) => resolve(code ?? signal ?? ''));
  });
}

async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function tailOf(stream: Readable): () => string {
  let tail = '';
  stream.on('data', (chunk: Buffer) => (tail = `${tail}${chunk.toString()}`.slice(-maxStderrChars)));
  return () => printable(tail.trim(), '\n');
}

/** Ends the whole group. After the program itself has ended only once, because another group may get its number later. */
function groupEnder(child: ChildProcess, isGroup: boolean): () => void {
  let isOver = false;
  return () => {
    const { pid, exitCode, signalCode } = child;
    if (pid === undefined || isOver) return;
    isOver = exitCode !== null || signalCode !== null;
    if (isOver && !isGroup) return;
    try {
      process.kill(isGroup ? -pid : pid, 'SIGKILL');
    } catch {
      // Nothing of it is left.
    }
  };
}
