import { CodeExecutorError, type ErrorCode, type Logger } from '@code-executor/contracts';
import type { FastifyReply } from 'fastify';

import type { ErrorBody } from './error-body.js';
import { httpStatusOf } from './http-status.js';
import { maxBytesOf } from './json-body.js';
import { rememberRefusal } from './refusals.js';
import type { RouteGroup } from './routes.js';

/** Answers with the error's code, or with `status` if HTTP has a more precise one, in the form of the group. */
export function sendError(
  reply: FastifyReply,
  error: CodeExecutorError,
  status?: number,
  group = reply.request.routeOptions.config.group,
): FastifyReply {
  const { code, retryAfterMs } = error;
  const form = group?.errorBody ?? errorBody;
  if (retryAfterMs !== undefined) void reply.header('retry-after', Math.ceil(retryAfterMs / 1000));
  const httpStatus = status ?? httpStatusOf(code);
  const { method, body } = reply.request;
  rememberRefusal(reply, httpStatus, error);
  return reply.code(httpStatus).send(form(error, { status: httpStatus, method, body }));
}

function errorBody({ code, message, tool, server, retryAfterMs }: CodeExecutorError): ErrorBody {
  return {
    error: {
      code,
      message,
      ...(tool !== undefined && { tool }),
      ...(server !== undefined && { server }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  };
}

/** Answers with whatever a handler threw; the client does not get to read an unexpected error, the log does. */
export function sendFailure(reply: FastifyReply, reason: unknown, logger: Logger): FastifyReply {
  const status = CodeExecutorError.is(reason) ? undefined : refusedByFastify(reason);
  if (status !== undefined) {
    const { code, message } = refusalFor(status, reply.request.routeOptions.config.group);
    return sendError(reply, new CodeExecutorError(code, message), status);
  }
  const error = CodeExecutorError.from(reason);
  if (error.code === 'internal') logger.error({ err: reason }, error.message);
  return sendError(reply, error);
}

/** The status if Fastify itself refuses the request. */
function refusedByFastify(reason: unknown): number | undefined {
  const isError = typeof reason === 'object' && reason !== null && 'statusCode' in reason;
  const status = isError && typeof reason.statusCode === 'number' ? reason.statusCode : 500;
  return status >= 400 && status < 500 ? status : undefined;
}

/** Our own messages, because those of Fastify name its parts, and some repeat the input. */
function refusalFor(status: number, group: RouteGroup | undefined): { code: ErrorCode; message: string } {
  const code = 'invalid_argument';
  switch (status) {
    case 408:
      return {
        code: 'deadline_exceeded',
        message: 'The request took too long to arrive; send it at once.',
      };
    case 413: {
      const maxBytes = maxBytesOf(group).toLocaleString('en');
      return { code, message: `The body is too large; send at most ${maxBytes} bytes.` };
    }
    case 414:
      return { code, message: 'The path is too long; see the routes of this server.' };
    case 415:
      return {
        code,
        message:
          group?.body === 'none'
            ? 'This path takes no body; send none.'
            : 'The body is of another type; send JSON as application/json, not compressed.',
      };
    default:
      return { code, message: 'The request cannot be read; send a body of JSON in UTF-8.' };
  }
}
