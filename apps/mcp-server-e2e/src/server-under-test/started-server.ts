import type { ContentBlock, Language } from '@code-executor/contracts';
import type { BriefReport, ExecutionReport } from '@code-executor/executor';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';

import { bin } from './bin.js';
import { createHome, environmentOf, removeHome } from './home.js';

/** The built server, started in a home of its own, and the SDK's client connected to it. */
export class StartedServer {
  #stderr = '';
  private constructor(
    readonly home: string,
    readonly client: Client,
    readonly pid: number,
  ) {}

  static async start(
    files: Record<string, string> = {},
    env: Record<string, string> = {},
    home?: string,
    clientName = 'e2e',
  ): Promise<StartedServer> {
    const folder = home ?? (await createHome(files));
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [bin],
      cwd: folder,
      env: environmentOf(folder, env),
      stderr: 'pipe',
    });
    const client = new Client({ name: clientName, version: '0' });
    await client.connect(transport);
    const server = new StartedServer(folder, client, transport.pid ?? 0);
    transport.stderr?.on('data', (chunk: Buffer) => (server.#stderr += chunk.toString()));
    // Makes the client check every structured result against the published schema.
    await client.listTools();
    return server;
  }

  /** What the server has logged so far. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Calls a tool; structured content and text are checked to be the same. */
  async call(name: string, args: Record<string, unknown>, options?: RequestOptions) {
    const result = await this.client.callTool({ name, arguments: args }, undefined, options);
    const [first, ...blocks] = result.content as [{ text: string }, ...ContentBlock[]];
    const structured = result.structuredContent as Record<string, unknown>;
    if (first.text !== JSON.stringify(structured)) throw new Error(`The text differs: ${first.text}`);
    return { isError: result.isError === true, structured, blocks, meta: result._meta };
  }

  /** Runs a program in TypeScript; see `runIn`. */
  run(code: string, args: Record<string, unknown> = {}, options?: RequestOptions) {
    return this.runIn('typescript', code, args, options);
  }

  /** Runs a program and checks that `isError` says the same as `success`. The pictures are in `content`. */
  async runIn(
    language: Language,
    code: string,
    args: Record<string, unknown> = {},
    options?: RequestOptions,
  ): Promise<ExecutionReport> {
    const name = language === 'python' ? 'executePython' : 'executeTypescript';
    const { isError, structured, blocks, meta } = await this.call(name, { code, ...args }, options);
    if (isError === structured['success']) throw new Error('isError contradicts success.');
    const report = wholeReport(structured, meta);
    return blocks.length > 0 ? { ...report, content: blocks } : report;
  }

  async close(): Promise<void> {
    await this.client.close();
    await removeHome(this.home);
  }
}

/** The report that an answer is the brief form of, but for its pictures. */
export function wholeReport(structured: unknown, meta: Record<string, unknown> = {}): ExecutionReport {
  return {
    truncated: false,
    toolCallsMade: [],
    ...(structured as BriefReport),
    toolCallSummary: (meta['code-executor/toolCalls'] ?? []) as ExecutionReport['toolCallSummary'],
  };
}

/** Asks a server of one's own, and ends it whatever comes of it: one that lived on would keep Jest from ending. */
export async function withServer<S extends { close(): Promise<void> }, T>(
  start: Promise<S>,
  ask: (server: S) => Promise<T>,
): Promise<T> {
  const server = await start;
  try {
    return await ask(server);
  } finally {
    await server.close();
  }
}
