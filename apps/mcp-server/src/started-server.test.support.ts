import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { ContentBlock, Language } from '@code-executor/contracts';
import type { BriefReport, ExecutionReport } from '@code-executor/executor';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';

export const bin = fileURLToPath(new URL('../bin/code-executor-mcp.js', import.meta.url));
const badServer = fileURLToPath(new URL('../fixtures/bad-server.mjs', import.meta.url));
const recordingScript = fileURLToPath(new URL('../fixtures/recording-server.mjs', import.meta.url));

/** An entry of `mcpServers` for one of the real servers installed here. */
export function realServer(name: 'everything' | 'filesystem' | 'memory', ...args: string[]) {
  const manifest = createRequire(import.meta.url).resolve(
    `@modelcontextprotocol/server-${name}/package.json`,
  );
  return { command: process.execPath, args: [join(dirname(manifest), 'dist/index.js'), ...args] };
}

/** An entry for a server that misbehaves. */
export function badServerEntry(way: 'silent' | 'garbage' | 'huge' | 'dies') {
  return { command: process.execPath, args: [badServer, way] };
}

/** An entry for a server whose tool `note` writes down its calls in a file, and answers while there is a `gate`. */
export function recordingServer(file: string, gate?: string) {
  return { command: process.execPath, args: [recordingScript, file, ...(gate === undefined ? [] : [gate])] };
}

/** A folder of its own for home and work, so that nothing of the user's is found. */
export async function createHome(files: Record<string, string> = {}): Promise<string> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'mcp-server-e2e-')));
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(home, name), text)));
  return home;
}

/** Removes it. Children of a server that was killed may write there until the kernel has ended them too. */
export async function removeHome(home: string): Promise<void> {
  await rm(home, { recursive: true, force: true, maxRetries: 10 });
}

export function environmentOf(home: string, extra: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, ...extra };
}

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

/** A living process: its command line, separated by blanks. */
export interface LivingProcess {
  pid: number;
  commandLine: string;
}

/** All processes below `pid`, as `/proc` has them. */
export async function descendantsOf(pid: number): Promise<LivingProcess[]> {
  const processes = await Promise.all(
    (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(readProcess),
  );
  const found: LivingProcess[] = [];
  const parents = new Set([pid]);
  for (let grown = true; grown;) {
    grown = false;
    for (const each of processes) {
      if (!each || parents.has(each.pid) || !parents.has(each.parent)) continue;
      parents.add(each.pid);
      found.push(each);
      grown = true;
    }
  }
  return found;
}

async function readProcess(pid: string): Promise<(LivingProcess & { parent: number }) | undefined> {
  try {
    const [status, commandLine] = await Promise.all([
      readFile(`/proc/${pid}/status`, 'utf8'),
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
    ]);
    // A zombie is gone, only not yet collected.
    if (/^State:\s+Z/m.test(status)) return undefined;
    const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
    return { pid: Number(pid), parent, commandLine: commandLine.replaceAll('\0', ' ') };
  } catch {
    return undefined;
  }
}

/** Waits for what no event tells, such as the end of somebody else's process. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(20);
}

/** Waits until none of the processes lives. */
export async function untilGone(pids: readonly number[]): Promise<void> {
  await until(async () =>
    (await Promise.all(pids.map((pid) => readProcess(String(pid))))).every((each) => !each),
  );
}
