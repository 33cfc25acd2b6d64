import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { CodeExecutorError } from '@code-executor/contracts';
import { freePort } from '@code-executor/contracts/testing';

import type { ClientPool } from './client-pool.js';
import type { HttpServer, StdioServer } from './options.js';

const fixture = (file: string) => fileURLToPath(new URL(`../fixtures/${file}`, import.meta.url));

export const headers = { 'x-test-key': 'opensesame' };

/** For pools of healthy servers: on a busy machine these need time to start. */
export const patient = { connectTimeoutMs: 50_000, discoveryTimeoutMs: 50_000 };

/** A fixture as a stdio server. */
export function stdioServer(file: string, ...args: string[]): StdioServer {
  return { command: process.execPath, args: [fixture(file), ...args] };
}

/** A stdio server that is one line of JavaScript. */
export function scriptServer(script: string): StdioServer {
  return { command: process.execPath, args: ['-e', script] };
}

export interface RunningServer {
  server: HttpServer;
  child: ChildProcess;
  close: () => Promise<void>;
}

/** Starts a fixture that prints its URL. */
export async function startHttpServer(
  file: string,
  transport: 'http' | 'sse',
  ...args: string[]
): Promise<RunningServer> {
  const child = spawn(process.execPath, [fixture(file), transport, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { server: { url, headers }, child, close: () => end(child) };
}

/** `@modelcontextprotocol/server-everything` on a free port. */
export async function startEverything(transport: 'streamableHttp' | 'sse'): Promise<RunningServer> {
  const port = await freePort();
  const { command, args } = everything(transport);
  const child = spawn(command, args, { env: { PORT: String(port) }, stdio: ['ignore', 'ignore', 'pipe'] });
  await untilListening(child.stderr);
  child.stderr.resume();
  const url = `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`;
  return { server: { url }, child, close: () => end(child) };
}

async function untilListening(input: Readable): Promise<void> {
  for await (const line of createInterface({ input })) if (/running on|listening on/i.test(line)) return;
  throw new Error('server-everything ended before it listened');
}

export function everything(transport: string): { command: string; args: string[] } {
  const main = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-everything/dist/index.js',
  );
  return { command: process.execPath, args: [main, transport] };
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** The error of a promise that must reject with a `CodeExecutorError`. */
export async function errorOf(promise: Promise<unknown>): Promise<CodeExecutorError> {
  const reason = await promise.then(
    (value) => new Error(`resolved with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!CodeExecutorError.is(reason)) throw reason;
  return reason;
}

/** The structured content of a call's result. */
export async function dataOf(pool: ClientPool, tool: string, args = {}): Promise<Record<string, unknown>> {
  const result = await pool.callTool(`mcp__${tool}` as `mcp__${string}__${string}`, args);
  return result.structuredContent ?? {};
}

/** Whether the process runs; a zombie does not. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return true; // not Linux
  }
}

/** Polls until the condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}
