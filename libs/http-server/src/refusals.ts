import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

import type { CodeExecutorError, ErrorCode } from '@code-executor/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { clientOf } from './client-check.js';
import type { ErrorBody } from './error-body.js';

/** A request that was refused, or a connection that was closed to make room. */
export interface RefusedRequest {
  /** The status of the answer; absent if the connection was closed without one. */
  httpStatus?: number;
  code: ErrorCode;
  /** Whose token the request has, if the server knows several. */
  clientId?: string;
  clientIp?: string;
}

export type OnRefused = (refused: RefusedRequest) => void;

const refused = new WeakMap<IncomingMessage, { httpStatus: number; code: ErrorCode }>();

/** Remembers the refusal of a request for {@link reportRefusals}. */
export function rememberRefusal(
  reply: FastifyReply,
  httpStatus: number,
  { code }: Pick<CodeExecutorError, 'code'>,
): void {
  refused.set(reply.request.raw, { httpStatus, code });
}

const letIn = new WeakSet<IncomingMessage>();

/** Keeps a request out of the reports, because its handler records how it ends. */
export function letRequestIn(request: FastifyRequest): void {
  letIn.add(request.raw);
}

/** Reports each request that was not let in and whose status says that the client is at fault. */
export function reportRefusals(app: FastifyInstance, onRefused: OnRefused): void {
  app.addHook('onResponse', (request, _reply, done) => {
    const refusal = refused.get(request.raw);
    if (refusal && refusal.httpStatus < 500 && !letIn.has(request.raw)) {
      const clientId = clientOf(request);
      onRefused({ ...refusal, clientIp: request.ip, ...(clientId !== undefined && { clientId }) });
    }
    done();
  });
}

/** A connection that was closed because there are too many. */
export function refusedConnection({ remoteAddress }: Socket): RefusedRequest {
  return { code: 'resource_exhausted', ...(remoteAddress !== undefined && { clientIp: remoteAddress }) };
}

/** How to answer errors of the HTTP parser, by their code in Node; all others are 400. */
const parserRefusals = new Map<string | undefined, [httpStatus: number, message: string]>([
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'The request took too long to arrive; send it at once.']],
  ['HPE_HEADER_OVERFLOW', [431, 'The headers are too large; send at most 16 KB.']],
]);

/** Answers bytes that are not a request, or that came too late, and closes the connection. */
export function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: Socket,
  onRefused: OnRefused | undefined,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [httpStatus, message] = parserRefusals.get(error.code) ?? [400, 'The request is not HTTP/1.1.'];
  const code = httpStatus === 408 ? 'deadline_exceeded' : 'invalid_argument';
  onRefused?.({ ...refusedConnection(socket), httpStatus, code });
  const text = JSON.stringify({ error: { code, message } } satisfies ErrorBody);
  const head = [
    `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  socket.destroy();
}
