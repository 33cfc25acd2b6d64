import { setImmediate as nextTurn } from 'node:timers/promises';

import type { CutMessage, MessageBuffer } from '@code-executor/pipes';

import { systemCode } from '../connection/connection-errors.js';
import { errorForCutReply } from './cut-reply.js';
import { EventReader } from './event-reader.js';
import { maxMessageBytes } from './message-limits.js';
import { ServerMessages } from './unfinished-messages.js';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface BoundedFetchOptions {
  /** The server cannot be reached, or an answer broke off. */
  onBroken: (cause: unknown) => void;
  /** A message was larger than allowed, and it is not known which request it answers. */
  onTooLarge: () => void;
  /** The media type of the server's answer to a request. */
  onMediaType?: (mediaType: string) => void;
  /** The server does not know our session any more (it restarted, or the session expired). */
  onSessionLost: (status: number) => void;
}

/** Takes chunks of a body and returns whole messages. */
interface Gate {
  push(chunk: Uint8Array): (Buffer | CutMessage)[];
  end(): (Buffer | CutMessage)[];
  /** As it would stand in the body. */
  write(message: string): string;
  readonly pendingBytes: number;
  /** The body is over. */
  drop(): void;
}

/**
 * `fetch` for one upstream connection: it stops messages that are too expensive to parse, and notices when the
 * connection is gone.
 */
export function boundedFetch(options: BoundedFetchOptions): Fetch {
  const messages = new ServerMessages();
  return async (url, init) => {
    const sent = new Headers(init?.headers);
    // A request for notifications is a stream that servers may cut, as the GET of the legacy era is.
    const isPost = init?.method === 'POST' && sent.get('mcp-method') !== 'subscriptions/listen';
    const onError = (cause: unknown) => {
      if (init?.signal?.aborted) return;
      // A GET opens the stream of notifications, which servers may cut or refuse; the SDK opens it again.
      if (isPost || systemCode(cause) === 'ECONNREFUSED') options.onBroken(cause);
    };
    let response: Response;
    try {
      response = await fetch(url, init);
    } catch (error) {
      onError(error);
      throw error;
    }
    if (isPost) options.onMediaType?.(mediaTypeOf(response));
    // The protocol says 404; the SDK's own example server, and so many others, say 400.
    const isRefused = response.status === 404 || response.status === 400;
    if (isPost && isRefused && sent.has('mcp-session-id')) {
      options.onSessionLost(response.status);
    }
    if (!response.body) return response;
    const gate =
      mediaTypeOf(response) === 'text/event-stream'
        ? eventGate(messages.buffer())
        : bodyGate(messages.buffer());
    return new Response(gated(response.body, gate, { ...options, onError }), response);
  };
}

/** Such as `text/html`, without its parameters. */
function mediaTypeOf({ headers }: Response): string {
  const [mediaType = ''] = (headers.get('content-type') ?? '').split(';', 1);
  return mediaType.trim().toLowerCase();
}

function gated(
  body: ReadableStream<Uint8Array>,
  gate: Gate,
  { onTooLarge, onError }: { onTooLarge: () => void; onError: (cause: unknown) => void },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  /** What the reader of the body gets for a message; throws if that cannot be known. */
  const presented = (message: Buffer | CutMessage): Buffer => {
    if (Buffer.isBuffer(message)) return message;
    const reply = errorForCutReply(message);
    if (!reply) throw new TooLarge();
    return Buffer.from(gate.write(JSON.stringify(reply)));
  };
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          for (let isSent = false; !isSent;) {
            const { done, value } = await reader.read();
            const messages = done ? gate.end() : gate.push(value);
            if (gate.pendingBytes > maxMessageBytes) throw new TooLarge();
            // In one chunk, because each costs its readers more than a short message does.
            if (messages.length > 0) controller.enqueue(Buffer.concat(messages.map(presented)));
            isSent = done || messages.length > 0;
            if (done) {
              gate.drop();
              controller.close();
            }
            // A server that floods the client must not hold up all others.
            else await nextTurn();
          }
        } catch (error) {
          gate.drop();
          if (error instanceof TooLarge) {
            onTooLarge();
            void reader.cancel().catch(() => undefined);
          } else onError(error);
          controller.error(error);
        }
      },
      cancel: (reason) => {
        gate.drop();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

class TooLarge extends RangeError {
  constructor() {
    super('the message is too large');
  }
}

function eventGate(messages: MessageBuffer): Gate {
  const reader = new EventReader(messages);
  return {
    push: (chunk) => reader.push(chunk),
    // An event that did not end does not count.
    end: () => [],
    write: (message) => `data: ${message}\n\n`,
    get pendingBytes() {
      return reader.pendingBytes;
    },
    drop: () => reader.drop(),
  };
}

/** A body is one message. */
function bodyGate(body: MessageBuffer): Gate {
  return {
    push(chunk) {
      body.add(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      return [];
    },
    end: () => (body.length > 0 ? [body.take()] : []),
    write: (message) => message,
    get pendingBytes() {
      return body.length;
    },
    drop: () => body.drop(),
  };
}
