import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface RedisServer {
  url: string;
  child: ChildProcess;
  close(): Promise<void>;
}

/** A Redis of its own, in memory only, that asks for a password. */
export async function startRedis(port?: number): Promise<RedisServer> {
  port ??= await freePort();
  const password = 'open-sesame';
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--requirepass', password];
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child, 'spawn');
  await untilReady(child.stdout);
  child.stdout.resume();
  const close = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { url: `redis://:${password}@127.0.0.1:${port}`, child, close };
}

async function untilReady(input: Readable): Promise<void> {
  for await (const line of createInterface({ input })) {
    if (line.includes('Ready to accept connections')) return;
  }
  throw new Error('redis-server ended before it listened');
}

/** Of those that the system gives to nobody by itself: it is still free when a server has started. */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000);
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return freePort();
    throw error;
  }
  server.close();
  await once(server, 'close');
  return port;
}
