import { setTimeout as delay } from 'node:timers/promises';

import { type OutputChunk, printable } from '@code-executor/contracts';
import type { Execution } from '@code-executor/executor';

import { isWanted, type LogLevel } from './log-level.js';

/** The shortest time between two messages. */
const intervalMs = 1000;
const maxWaitMs = 60_000;
/** Of one message. Of more than that, the end is sent. */
const maxChars = 4000;

/** A `notifications/message`. */
export interface LogMessage {
  level: LogLevel;
  /** The id of the execution. */
  logger: string;
  data: string;
}

const levelOf: Record<OutputChunk['stream'], LogLevel> = { stdout: 'info', stderr: 'warning' };

/**
 * Sends what an execution prints while it runs, at most once a second, until it ends or the signal fires: stdout as `info`,
 * stderr and what was printed with it as `warning`, and nothing below the level that the client set. Never rejects.
 */
export async function sendOutput(
  execution: Execution,
  wanted: LogLevel,
  send: (message: LogMessage) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let fromOffset = 0; ;) {
    const page = await execution.readOutput({ fromOffset, waitMs: maxWaitMs });
    if (signal.aborted) return;
    const chunks = page.chunks.filter(({ stream }) => isWanted(levelOf[stream], wanted));
    if (chunks.length > 0) {
      const level = chunks.some(({ stream }) => stream === 'stderr') ? levelOf.stderr : levelOf.stdout;
      send({ level, logger: execution.id, data: textOf(chunks) });
    }
    if (page.isComplete) return;
    fromOffset = page.nextOffset;
    await delay(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

function textOf(chunks: readonly OutputChunk[]): string {
  const text = chunks.map((chunk) => chunk.text).join('');
  const left = text.length - maxChars;
  const shown = left > 0 ? `(${left} characters before this) …${text.slice(left)}` : text;
  // Clients show it in terminals.
  return printable(shown, '\n\t').trimEnd();
}
