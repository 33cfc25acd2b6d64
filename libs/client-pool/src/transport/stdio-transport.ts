import { errorForCutReply } from './cut-reply.js';
import { type ErrorReply, errorForMalformedReply } from './malformed-reply.js';
import { ServerProcess, type ServerProcessOptions } from './server-process.js';

export interface StdioTransportOptions<Message> extends Omit<ServerProcessOptions, 'onLine' | 'onCutLine'> {
  /** Throws if the line is not a message. */
  parse: (line: string) => Message;
}

/** A child process as an MCP transport: one JSON message per line. Other lines are counted; one that answers a request fails it. */
export class StdioTransport<Message> {
  onmessage?: (message: Message | ErrorReply) => void;
  onclose?: () => void;
  readonly process: ServerProcess;
  readonly #garbage = { lines: 0, first: '' };
  readonly #parse: (line: string) => Message;

  constructor(options: StdioTransportOptions<Message>) {
    this.#parse = options.parse;
    this.process = new ServerProcess({
      ...options,
      onLine: (line) => this.#receive(line),
      onCutLine: (line) => {
        const reply = errorForCutReply(line);
        if (reply) this.onmessage?.(reply);
        return reply !== undefined;
      },
    });
  }

  start(): Promise<void> {
    return this.process.start();
  }

  /** Resolves when the process can read it. */
  send(message: object): Promise<void> {
    return this.process.write(`${JSON.stringify(message)}\n`);
  }

  /** Rejects what is under way at once, then ends the process. */
  close(): Promise<void> {
    this.onclose?.();
    return this.process.close();
  }

  /** What it has said besides messages. For the log only, because it may hold everything the server knows, secrets too. */
  get lastWords(): { stderr: string; stdout: string } {
    return { stderr: this.process.stderr.toString(), stdout: this.#garbage.first };
  }

  /** How many lines on stdout were not messages. */
  get garbageLines(): number {
    return this.#garbage.lines;
  }

  #receive(line: string): void {
    let message: Message | ErrorReply | undefined;
    try {
      message = this.#parse(line);
    } catch {
      if (this.#garbage.lines === 0) this.#garbage.first = line.slice(0, 200);
      this.#garbage.lines += 1;
      message = errorForMalformedReply(line);
    }
    if (message !== undefined) this.onmessage?.(message);
  }
}
