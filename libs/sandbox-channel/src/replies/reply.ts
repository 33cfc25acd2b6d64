import { CodeExecutorError, type JsonValue, ToolFailure } from '@code-executor/contracts';

import { JsonList } from './json-list.js';

/** The size of one reply to the sandbox. */
const maxReplyBytes = 16 * 1024 * 1024;

/** A tool's result that is text, which may be JSON. The sandbox parses it, because the program should pay for that. */
export class ResultText {
  constructor(readonly text: string) {}
}

/**
 * The line that answers a call with a value.
 *
 * @throws CodeExecutorError `resource_exhausted` for a value that is too large or nested too deep.
 */
export function valueReply(id: number, value: unknown): Buffer {
  let reply: Buffer;
  try {
    reply =
      value instanceof JsonList
        ? Buffer.from(`{"id":${id},"value":${value.toText()}}\n`)
        : toLine(value instanceof ResultText ? { id, text: value.text } : { id, value: value ?? null });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new CodeExecutorError('resource_exhausted', 'The answer is nested too deep for the sandbox.', {
      cause,
    });
  }
  if (reply.length > maxReplyBytes) {
    throw new CodeExecutorError(
      'resource_exhausted',
      `The answer is larger than ${maxReplyBytes / 1024 / 1024} MB; ask for less of it at a time.`,
    );
  }
  return reply;
}

/** The line that answers a call with the reason why there is no value. */
export function errorReply(id: number, reason: unknown): Buffer {
  return toLine({ id, error: errorFields(reason) });
}

/** Returns bytes and not a string, because their size in memory is known, and waiting bytes are no work for V8. */
function toLine(reply: object): Buffer {
  return Buffer.from(`${JSON.stringify(reply)}\n`);
}

function errorFields(reason: unknown): Record<string, JsonValue> {
  if (reason instanceof ToolFailure) return reason.toJSON();
  const { code, message, tool, server, retryAfterMs } = CodeExecutorError.from(reason);
  return {
    code,
    message,
    ...(tool !== undefined && { tool }),
    ...(server !== undefined && { server }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}
