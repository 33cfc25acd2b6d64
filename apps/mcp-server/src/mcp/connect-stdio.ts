import { PassThrough } from 'node:stream';

import type { Caller } from '@code-executor/contracts';
import type { Server } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';

import { createServer, type ServerOptions } from './create-server.js';
import { logErrors } from './log-errors.js';

export interface StdioConnection {
  /** Tells the client that the tools have changed. */
  toolsChanged(): void;
}

export interface StdioOptions extends ServerOptions {
  /** Who calls the tools. */
  caller: Caller;
  /** Called once, when the connection ends for another reason than the end of stdin, for example after a message that is too large. */
  onClosed: () => void;
}

/** Serves MCP on stdin and stdout, in the era that the client chooses. */
export function connectStdio({ caller, onClosed, ...options }: StdioOptions): StdioConnection {
  const { logger } = options;
  // A client that asks for 2026-07-28 and then decides otherwise gets a second server.
  let current: Server | undefined;
  serveStdio(({ era }) => (current = createServer(options, { era, caller: () => caller })), {
    transport: new StdioTransport(onClosed),
    onerror: logErrors(logger),
  });
  return {
    toolsChanged() {
      current?.sendToolListChanged().catch((error: unknown) => {
        logger.debug({ err: error }, 'The client was not told that the tools have changed.');
      });
    },
  };
}

/**
 * Says when the connection is over, which no server of it knows. The end of stdin does not end the connection: what was
 * asked before is answered while the process waits for its running work.
 */
class StdioTransport extends StdioServerTransport {
  readonly #onClosed: () => void;
  #isOver = false;

  constructor(onClosed: () => void) {
    super(process.stdin.pipe(new PassThrough(), { end: false }));
    this.#onClosed = onClosed;
  }

  override async close(): Promise<void> {
    await super.close();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onClosed();
  }
}
