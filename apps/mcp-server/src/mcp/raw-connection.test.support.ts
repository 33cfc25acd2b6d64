import type { JSONRPCMessage } from '@modelcontextprotocol/server';

import { serveInMemory } from './connect-client.test.support.js';
import type { ServerOptions } from './create-server.js';

export interface RawAnswer {
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

interface Notification {
  method: string;
  params?: Record<string, unknown>;
}

/** Speaks 2026-07-28 with a server in memory, message by message. */
export class RawConnection {
  readonly notifications: Notification[] = [];
  readonly #transport;
  readonly #answers = new Map<unknown, (answer: RawAnswer) => void>();
  readonly #capabilities: object;
  #lastId = 0;

  constructor(options: ServerOptions, capabilities: object = { elicitation: {} }, callerId?: string) {
    this.#capabilities = capabilities;
    this.#transport = serveInMemory(options, callerId);
    this.#transport.onmessage = (message: JSONRPCMessage) => {
      if ('method' in message) this.notifications.push(message as Notification);
      else this.#answers.get(message.id)?.(message);
    };
  }

  async start(): Promise<this> {
    await this.#transport.start();
    return this;
  }

  /** Sends a request; the id is for `cancel`. */
  send(method: string, params: object = {}, meta: object = {}): { id: number; answer: Promise<RawAnswer> } {
    const id = ++this.#lastId;
    const answer = new Promise<RawAnswer>((resolve) => this.#answers.set(id, resolve));
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': this.#capabilities,
      ...meta,
    };
    void this.#transport.send({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
    return { id, answer };
  }

  ask(method: string, params?: object, meta?: object): Promise<RawAnswer> {
    return this.send(method, params, meta).answer;
  }

  async cancel(requestId: number): Promise<void> {
    await this.#transport.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId },
    });
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}
