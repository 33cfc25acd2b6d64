import type { HttpArena } from '../arena/http-arena.js';

/** The body of a call that every client with a token is allowed to make. */
export const echoCall = '{"toolName":"mcp__fixture__echo"}';

/** The parts of that request; each part that is given replaces the correct one. */
export interface RawCall {
  /** Default: `POST / HTTP/1.1`. */
  target?: string;
  /** Lines. Default: the correct Host. */
  host?: readonly string[];
  /** Lines. Default: a valid token. */
  authorization?: readonly string[];
  /** More lines. */
  headers?: readonly string[];
  /** Lines. Default: the type and the length of the body. */
  content?: readonly string[];
  body?: string;
}

/** Sends a call byte for byte; resolves with the status of the answer, or 0 if there was none. */
export async function statusOfRaw(arena: HttpArena, call: RawCall): Promise<number> {
  return statusOf(await arena.exchange(rawCall(arena, call)));
}

/** The request as text; it asks the server to close the connection afterwards. */
export function rawCall(arena: HttpArena, call: RawCall): string {
  const { target = 'POST / HTTP/1.1', headers = [], body = echoCall } = call;
  const { host = [`Host: 127.0.0.1:${arena.port}`] } = call;
  const { authorization = [`Authorization: Bearer ${arena.tokens.constructor}`] } = call;
  const { content = ['Content-Type: application/json', `Content-Length: ${body.length}`] } = call;
  const lines = [target, ...host, 'Connection: close', ...authorization, ...headers, ...content];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
}
