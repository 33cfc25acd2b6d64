import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';

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
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('Ready to accept connections')) break;
  }
  child.stdout.resume();
  const close = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { url: `redis://:${password}@127.0.0.1:${port}`, child, close };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
