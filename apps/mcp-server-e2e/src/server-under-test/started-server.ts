import type { ContentBlock, Language } from '@code-executor/contracts';
import type { BriefReport, ExecutionReport } from '@code-executor/executor';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';

import { bin } from './bin.js';
import { createHome, environmentOf, removeHome } from './home.js';

/** The built server, started in its own home, with a connected client of the SDK. */
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

  /** Calls a tool; checks that structured content and text are the same. */
  async call(name: string, args: Record<string, unknown>, options?: RequestOptions) {
    const result = await this.client.callTool({ name, arguments: args }, undefined, options);
    const [first, ...blocks] = result.content as [{ text: string }, ...ContentBlock[]];
    const structured = result.structuredContent as Record<string, unknown>;
    if (first.text !== JSON.stringify(structured)) throw new Error(`The text differs: ${first.text}`);
    return { isError: result.isError === true, structured, blocks, meta: result._meta };
  }

  /** Runs a TypeScript program; see `runIn`. */
  run(code: string, args: Record<string, unknown> = {}, options?: RequestOptions) {
    return this.runIn('typescript', code, args, options);
  }

  /** Runs a program and checks that `isError` is the opposite of `success`. Pictures are in `content`. */
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

/** Restores the full report from a brief answer, except for its pictures. */
export function wholeReport(structured: unknown, meta: Record<string, unknown> = {}): ExecutionReport {
  return {
    truncated: false,
    toolCallsMade: [],
    ...(structured as BriefReport),
    toolCallSummary: (meta['code-executor/toolCalls'] ?? []) as ExecutionReport['toolCallSummary'],
  };
}

/** Runs `ask` with a new server, and always closes the server, because a running one would keep Jest from exiting. */
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
