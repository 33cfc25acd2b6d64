import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

let nextPort = randomInt(20_000, 31_000);

/**
 * A port of 127.0.0.1 that was free a moment ago, outside of the range that the system assigns by itself (on Linux 32768
 * to 60999), so that it is still free when its server starts minutes later. Never the same twice in one process.
 */
export async function freePort(): Promise<number> {
  const port = nextPort++;
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
