import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** The request that is not answered yet. */
  request?: IncomingMessage;
  /** Whether one of its requests was answered. */
  isServed: boolean;
}

/**
 * Limits the open connections, so that no client keeps others out by opening many. At the limit a new connection replaces
 * the oldest one that never sent a whole request, or otherwise the one that has been idle for longest. If every connection
 * has a request under way, the new one is closed. `onRefused` gets each connection that is closed for this reason.
 */
export function boundConnections(
  server: Server,
  maxConnections: number,
  onRefused?: (socket: Socket) => void,
): void {
  const open = new Map<Socket, Connection>();
  server.on('connection', (socket: Socket) => {
    const loser = open.size < maxConnections ? undefined : (leastNeeded(open) ?? socket);
    if (loser) {
      onRefused?.(loser);
      open.delete(loser);
      loser.destroy();
    }
    if (loser === socket) return;
    open.set(socket, { isServed: false });
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = open.get(request.socket);
    if (!connection) return;
    connection.request = request;
    response.once('close', () => {
      if (connection.request !== request) return;
      delete connection.request;
      connection.isServed = true;
      // The map is in the order of idle time: the last connection has just become idle.
      if (open.delete(request.socket)) open.set(request.socket, connection);
    });
  });
}

function leastNeeded(open: ReadonlyMap<Socket, Connection>): Socket | undefined {
  let idle: Socket | undefined;
  for (const [socket, { request, isServed }] of open) {
    if (!isServed && request?.complete !== true) return socket;
    if (!request) idle ??= socket;
  }
  return idle;
}
