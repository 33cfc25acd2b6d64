import { systemCode } from './connection-errors.js';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface BoundedFetchOptions {
  /** A JSON body, or one event of an event stream, may have this many bytes. */
  maxMessageBytes: number;
  /** The server cannot be reached, or an answer broke off. */
  onBroken: (cause: unknown) => void;
  /** A message was larger than allowed. */
  onTooLarge: () => void;
  /** The kind of what the server answers to a request. */
  onMediaType?: (mediaType: string) => void;
  /** The server does not know our session any more (it restarted, or the session expired). */
  onSessionLost: (status: number) => void;
}

/** `fetch` for one upstream connection: it counts what it receives and notices when the connection is gone. */
export function boundedFetch(options: BoundedFetchOptions): Fetch {
  return async (url, init) => {
    const isPost = init?.method === 'POST';
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
    if (isPost && isRefused && new Headers(init.headers).has('mcp-session-id')) {
      options.onSessionLost(response.status);
    }
    if (!response.body) return response;
    const isEventStream = mediaTypeOf(response) === 'text/event-stream';
    const meter = isEventStream ? eventMeter() : totalMeter();
    const accept = (chunk: Uint8Array) => {
      const isAcceptable = meter(chunk) <= options.maxMessageBytes;
      if (!isAcceptable) options.onTooLarge();
      return isAcceptable;
    };
    const body = measured(response.body, accept, onError);
    return new Response(body, response);
  };
}

/** Such as `text/html`, without its parameters. */
function mediaTypeOf({ headers }: Response): string {
  const [mediaType = ''] = (headers.get('content-type') ?? '').split(';', 1);
  return mediaType.trim().toLowerCase();
}

function measured(
  body: ReadableStream<Uint8Array>,
  accept: (chunk: Uint8Array) => boolean,
  onError: (cause: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else if (accept(value)) controller.enqueue(value);
          else {
            controller.error(new RangeError('the message is too large'));
            await reader.cancel();
          }
        } catch (error) {
          onError(error);
          controller.error(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Bytes so far. */
function totalMeter(): (chunk: Uint8Array) => number {
  let bytes = 0;
  return (chunk) => (bytes += chunk.length);
}

/** The size of the largest event that the chunk adds to: an empty line ends one. */
function eventMeter(): (chunk: Uint8Array) => number {
  let eventBytes = 0;
  let lineBytes = 0;
  return (chunk) => {
    let largest = 0;
    let start = 0;
    while (start < chunk.length) {
      const newline = chunk.indexOf(0x0a, start);
      const end = newline === -1 ? chunk.length : newline;
      lineBytes += end - start;
      eventBytes += end - start;
      largest = Math.max(largest, eventBytes);
      if (newline === -1) break;
      // One byte is a carriage return, or nothing that an event could consist of.
      if (lineBytes <= 1) eventBytes = 0;
      lineBytes = 0;
      start = newline + 1;
    }
    return largest;
  };
}
