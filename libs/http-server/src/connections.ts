import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** The request under way. */
  request?: IncomingMessage;
  /** A request of it was answered. */
  isServed: boolean;
}

/**
 * Bounds the open connections, so that nobody keeps others out by opening many: at the ceiling a new one takes the
 * place of the oldest on which no whole request ever came, else of the oldest that is idle. Only if each one has a
 * request under way, the new one is closed. `onRefused` is told of each connection that is closed so.
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
      // At the end of the map are those that were idle for the shortest time.
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
