import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Listeners that nothing has a reason to connect to; they record everything that does. */
export class Traps {
  /** What has arrived so far: one line per connection or datagram. */
  readonly caught: string[] = [];
  readonly #servers: Server[] = [];
  readonly #udp = createSocket('udp4');

  /** Listens on a TCP and UDP port on 127.0.0.1, a Unix socket and an abstract one; resolves with the port. */
  async listen(socket: string, abstractSocket: string): Promise<number> {
    const port = await this.#listenOnPort();
    await this.#listen('unix', { path: socket });
    if (process.platform === 'linux') await this.#listen('abstract', { path: `\0${abstractSocket}` });
    return port;
  }

  close(): void {
    this.#udp.close();
    for (const server of this.#servers) server.close();
  }

  async #listenOnPort(): Promise<number> {
    this.#udp.on('message', () => this.caught.push('udp'));
    for (;;) {
      const tcp = await this.#listen('tcp', { port: 0, host: '127.0.0.1' });
      const { port } = tcp.address() as AddressInfo;
      try {
        this.#udp.bind(port, '127.0.0.1');
        await once(this.#udp, 'listening');
        return port;
      } catch (error) {
        // Another process uses this number for UDP, so try another one.
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      }
    }
  }

  async #listen(name: string, where: { port: number; host: string } | { path: string }): Promise<Server> {
    const server = createServer((connection) => {
      connection.on('error', () => undefined);
      connection.once('data', (bytes: Buffer) => {
        this.caught.push(`${name}: ${bytes.toString('latin1').slice(0, 80)}`);
        connection.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\ncaught');
      });
      this.caught.push(name);
    });
    server.listen(where);
    await once(server, 'listening');
    this.#servers.push(server);
    return server;
  }
}
