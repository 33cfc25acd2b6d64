import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

import { freePort } from '@code-executor/contracts/testing';

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
