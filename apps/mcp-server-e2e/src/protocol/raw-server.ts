import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import { bin } from '../server-under-test/bin.js';
import { environmentOf } from '../server-under-test/home.js';
import { until } from '../server-under-test/until.js';

/** A JSON-RPC message as it is on the wire. */
export interface Message {
  jsonrpc?: '2.0';
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

/** The built server, spoken to in lines as they are on the wire. */
export class RawServer {
  readonly messages: Message[] = [];
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcessWithoutNullStreams;
  #lastId = 0;

  constructor(home: string, env: Record<string, string> = {}) {
    this.#child = spawn(process.execPath, [bin], { cwd: home, env: environmentOf(home, env) });
    this.#child.stdin.on('error', () => undefined);
    this.ended = new Promise((resolve) => this.#child.on('close', resolve));
    createInterface(this.#child.stdout).on('line', (line) => {
      this.messages.push(JSON.parse(line) as Message);
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  send(message: Message): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Sends a request; returns its id. */
  request(method: string, params?: Record<string, unknown>): number {
    const id = ++this.#lastId;
    this.send({ id, method, ...(params && { params }) });
    return id;
  }

  async answerTo(id: number): Promise<Message> {
    return this.received((message) => message.id === id && message.method === undefined);
  }

  ask(method: string, params?: Record<string, unknown>): Promise<Message> {
    return this.answerTo(this.request(method, params));
  }

  /** Waits for a message that fits. */
  async received(fits: (message: Message) => boolean): Promise<Message> {
    await until(() => this.messages.some(fits));
    return this.messages.find(fits) as Message;
  }

  endInput(): void {
    this.#child.stdin.end();
  }

  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}

/** The parameters of a request of 2026-07-28, with what each of them says about the client. */
export function enveloped(
  params: Record<string, unknown> = {},
  capabilities: Record<string, unknown> = {},
  meta: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'e2e', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      ...meta,
    },
  };
}

/** The parameters of `initialize`. */
export function introduction(
  protocolVersion = '2025-11-25',
  capabilities: Record<string, unknown> = {},
): Record<string, unknown> {
  return { protocolVersion, capabilities, clientInfo: { name: 'e2e', version: '0' } };
}
