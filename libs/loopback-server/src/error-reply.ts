import { CodeExecutorError, type Logger } from '@code-executor/contracts';
import type { FastifyReply } from 'fastify';

import { httpStatusOf } from './http-status.js';
import { rememberRefusal } from './refusals.js';

/** What every answer that is no success holds. */
export interface ErrorBody {
  error: {
    /** A code of `CodeExecutorError`, or one that the route documents. */
    code: string;
    message: string;
    /** The upstream tool concerned. */
    tool?: string;
    /** The upstream server concerned. */
    server?: string;
    /** Milliseconds after which the same request may succeed; also in `Retry-After`, in seconds. */
    retryAfterMs?: number;
  };
}

/** Answers with the error's code, or with `status` where HTTP has a more exact word for it. */
export function sendError(reply: FastifyReply, error: CodeExecutorError, status?: number): FastifyReply {
  const { code, message, tool, server, retryAfterMs } = error;
  const body: ErrorBody = {
    error: {
      code,
      message,
      ...(tool !== undefined && { tool }),
      ...(server !== undefined && { server }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  };
  if (retryAfterMs !== undefined) void reply.header('retry-after', Math.ceil(retryAfterMs / 1000));
  const httpStatus = status ?? httpStatusOf(code);
  rememberRefusal(reply, httpStatus, error);
  return reply.code(httpStatus).send(body);
}

/** Answers with whatever a handler threw; what nobody foresaw goes to the log, not to the caller. */
export function sendFailure(reply: FastifyReply, reason: unknown, logger: Logger): FastifyReply {
  const refused = CodeExecutorError.is(reason) ? undefined : refusalOf(reason);
  if (refused) return sendError(reply, new CodeExecutorError(refused.code, refused.message), refused.status);
  const error = CodeExecutorError.from(reason);
  if (error.code === 'internal') logger.error({ err: reason }, error.message);
  return sendError(reply, error);
}

/** What Fastify itself refuses, in our words. Its own name the parts of it, and some repeat the input. */
const refusals = new Map([
  [400, { code: 'invalid_argument', message: 'The request cannot be read; send a body of JSON in UTF-8.' }],
  [408, { code: 'deadline_exceeded', message: 'The request took too long to arrive; send it at once.' }],
  [413, { code: 'invalid_argument', message: 'The body is too large; send at most 1 MB.' }],
  [414, { code: 'invalid_argument', message: 'The path is too long; see the routes of this server.' }],
  [
    415,
    {
      code: 'invalid_argument',
      message: 'The body is of another type; send JSON as application/json, not compressed.',
    },
  ],
] as const);

function refusalOf(reason: unknown) {
  const isError = typeof reason === 'object' && reason !== null && 'statusCode' in reason;
  const status = isError && typeof reason.statusCode === 'number' ? reason.statusCode : 500;
  if (status < 400 || status >= 500) return undefined;
  const known = refusals.get(status as 400) ?? refusals.get(400);
  return known && { status, ...known };
}
