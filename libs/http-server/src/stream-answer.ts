import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import { CodeExecutorError } from '@code-executor/contracts';
import type { FastifyReply } from 'fastify';

import { codeOfStatus } from './http-status.js';
import { rememberRefusal } from './refusals.js';
import { streamBegins } from './streamed.js';
import { maxTakingMs } from './unread-answers.js';

/** Sends an answer of the Fetch API: a stream of events piece by piece, everything else as a whole. */
export async function sendResponse(
  reply: FastifyReply,
  answer: Response,
  groupHeaders: Readonly<Record<string, string>>,
): Promise<FastifyReply | undefined> {
  const headers = { ...headersOf(answer), ...groupHeaders };
  const { status, body } = answer;
  if (status >= 400) rememberRefusal(reply, status, { code: codeOfStatus(status) });
  const isStream = body !== null && /^text\/event-stream\b/.test(headers['content-type'] ?? '');
  if (!isStream)
    return reply
      .code(status)
      .headers(headers)
      .send(await wholeBody(answer));
  reply.hijack();
  reply.raw.writeHead(status, headers);
  streamBegins(reply.request);
  // The client has to know that the stream is open before there is anything in it.
  reply.raw.flushHeaders();
  await pump(body, reply.raw);
  return undefined;
}

/** Without those that belong to the connection, which is the server's business. */
function headersOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name !== 'connection'));
}

async function wholeBody(answer: Response): Promise<Buffer | undefined> {
  return answer.body === null ? undefined : Buffer.from(await answer.arrayBuffer());
}

/** Ends with the stream or with the client, whichever ends first; never rejects. */
async function pump(stream: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  const reader = stream.getReader();
  response.once('close', () => void reader.cancel().catch(() => undefined));
  try {
    // Cancelling the reader ends the loop, too.
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      if (!response.write(piece.value)) await taken(response);
    }
    response.end();
  } catch {
    // Whoever makes the stream has failed, and knows why. What has been sent cannot be taken back.
    response.destroy();
  }
}

/** Resolves when the client has read enough for the next piece; rejects if that takes 10 s. */
async function taken(response: ServerResponse): Promise<void> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), maxTakingMs);
  try {
    await Promise.race([
      once(response, 'drain', { signal: late.signal }),
      once(response, 'close', { signal: late.signal }),
    ]);
  } catch (cause) {
    const problem = 'The client does not read its stream.';
    throw new CodeExecutorError('deadline_exceeded', problem, { cause });
  } finally {
    clearTimeout(timer);
    late.abort();
  }
}
