import { setTimeout as delay } from 'node:timers/promises';

import { type OutputChunk, printable } from '@code-executor/contracts';
import type { Execution, OutputPage } from '@code-executor/executor';

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

export interface OutputSenderOptions {
  execution: Execution;
  /** The level that the client set: nothing below it is sent. */
  wanted: LogLevel;
  send: (message: LogMessage) => void;
  /** How much was sent already; it is moved on. */
  sent: { offset: number };
}

/** Sends what an execution prints: stdout as `info`, stderr and what was printed with it as `warning`. */
export class OutputSender {
  readonly #options: OutputSenderOptions;

  constructor(options: OutputSenderOptions) {
    this.#options = options;
  }

  /** Sends while it runs, at most once a second, until it ends or the signal fires. Never rejects. */
  async follow(signal: AbortSignal): Promise<void> {
    for (;;) {
      const page = await this.#read(maxWaitMs);
      if (signal.aborted) return;
      this.#send(page);
      if (page.isComplete) return;
      await delay(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Sends what is left when nobody follows any more. */
  async sendRest(): Promise<void> {
    this.#send(await this.#read(0));
  }

  #read(waitMs: number): Promise<OutputPage> {
    const { execution, sent } = this.#options;
    return execution.readOutput({ fromOffset: sent.offset, waitMs });
  }

  #send(page: OutputPage): void {
    const { execution, wanted, send, sent } = this.#options;
    sent.offset = page.nextOffset;
    const chunks = page.chunks.filter(({ stream }) => isWanted(levelOf[stream], wanted));
    if (chunks.length === 0) return;
    const level = chunks.some(({ stream }) => stream === 'stderr') ? levelOf.stderr : levelOf.stdout;
    send({ level, logger: execution.id, data: textOf(chunks) });
  }
}

function textOf(chunks: readonly OutputChunk[]): string {
  const text = chunks.map((chunk) => chunk.text).join('');
  const left = text.length - maxChars;
  const shown = left > 0 ? `(${left} characters before this) …${text.slice(left)}` : text;
  // Clients show it in terminals.
  return printable(shown, '\n\t').trimEnd();
}
