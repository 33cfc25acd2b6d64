import type { HttpArena } from '../arena/http-arena.js';

/** The body of a call that anybody with a token may make. */
export const echoCall = '{"toolName":"mcp__fixture__echo"}';

/** A request of that call from its parts; a part that is given stands instead of the right one. */
export interface RawCall {
  /** Default: `POST / HTTP/1.1`. */
  target?: string;
  /** Lines. Default: the right Host. */
  host?: readonly string[];
  /** Lines. Default: the token of somebody who may do it. */
  authorization?: readonly string[];
  /** More lines. */
  headers?: readonly string[];
  /** Default: its type, and its length. */
  content?: readonly string[];
  body?: string;
}

/** Sends a call, byte for byte; resolves with the status of the answer, or 0 where there was none. */
export async function statusOfRaw(arena: HttpArena, call: RawCall): Promise<number> {
  return statusOf(await arena.exchange(rawCall(arena, call)));
}

/** The call as bytes, after which the server is to hang up. */
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
