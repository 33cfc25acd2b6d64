import type { IncomingHttpHeaders } from 'node:http';

import type { CodeExecutorError, TraceParent } from '@code-executor/contracts';

/** Routes that share one answer to the question who may call them, and how. */
export interface RouteGroup {
  /**
   * `token`: a request without a valid token is answered with 401. `open`: anybody who reaches the listener may call;
   * a handler sees in `isTrusted` whether the token was valid.
   */
  authentication: 'token' | 'open';
  /**
   * `none`: no web page may call. `navigation`: a page may lead its reader here, and may not call by itself. `same-origin`: pages that this listener itself serves may; no others. If the listener
   * has `hostNames`, these pages may also come through a proxy that ends TLS.
   */
  origins: 'none' | 'navigation' | 'same-origin';
  /** What a request may carry. `none`: handlers never see a body, and a POST that has one is answered with 415. */
  body: JsonBody | 'none';
  /** For each client and each route of the group; a function is asked at each request. Default: no limit. */
  rateLimit?: RateLimit | ((clientId: string | undefined) => RateLimit | false);
  /**
   * A limit for what a request asks for. It is asked when the body has been read, and its count is that of the client
   * and the limit's `name`. Default: no limit.
   */
  limitByBody?: (clientId: string | undefined, body: unknown) => NamedRateLimit | false;
  /** How many requests to the group one client may have under way, open streams included. Default: no limit. */
  maxOpenPerClient?: number;
  /** The body of an answer that refuses a request, if the group has a form of its own. Default: `{ "error": … }`. */
  errorBody?: (error: CodeExecutorError, refused: RefusedAs) => object;
  /** Sent with every answer of the group, errors included. */
  headers?: Readonly<Record<string, string>>;
  routes: readonly (Route | StreamRoute)[];
}

/** Bodies are JSON in UTF-8, at most 200 levels deep. */
export interface JsonBody {
  type: 'json';
  /** Default: 1,000,000. */
  maxBytes?: number;
}

/** How often one client may call one route. */
export interface RateLimit {
  /** Length of the window, in ms; it slides. Default: 60000. */
  windowMs?: number;
  /** Requests within it. Default: 30. */
  maxRequests?: number;
  /** What a refused client can do about the limit; follows "wait for Retry-After, or". */
  remedy?: string;
}

/** How a request is refused. */
export interface RefusedAs {
  status: number;
  method: string;
  /** Undefined if it has none, or was not read. */
  body: unknown;
}

/** A limit with a count of its own. */
export interface NamedRateLimit extends RateLimit {
  name: string;
}

/** What a path answers to a method, and when. */
interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  /** Whether the route still answers while the server waits for its last requests. Default: false. */
  answersWhileClosing?: boolean;
}

/** An endpoint with whole answers. */
export interface Route extends Endpoint {
  /**
   * Answers a request. A `CodeExecutorError` that it throws becomes an answer with the status of its code; anything
   * else goes to the log, and the client gets a 500.
   */
  handle(request: HttpRequest): HttpAnswer | Promise<HttpAnswer>;
}

/** An endpoint with answers of the Fetch API, which may be streams of events (`text/event-stream`). */
export interface StreamRoute extends Endpoint {
  /**
   * Answers a request. A stream may be as long as it likes, and is cut off if the client takes nothing of it for 10 s.
   * Its body is cancelled when the client hangs up. Errors are answered as those of a `Route`.
   */
  stream(request: HttpRequest): Response | Promise<Response>;
}

/** A request that its group has let through. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as the client sent them. */
  readonly url: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** The parsed JSON; undefined if the group takes no bodies or the method has none. */
  readonly body: unknown;
  /** Whose token it is; undefined without one, and if all clients share one token. */
  readonly clientId: string | undefined;
  /** Whether the token is valid, or the server needs none. */
  readonly isTrusted: boolean;
  /** The step of a trace that asks, from `traceparent`; a new trace if the header is missing or cannot be read. */
  readonly trace: TraceParent;
  /** Aborted when the client hangs up before it has the whole answer. */
  readonly signal: AbortSignal;
  /** Resolves when the whole answer is sent, or the client has hung up. */
  readonly ended: Promise<void>;
  /** Aborted when the server begins to close: a stream that has no end of its own ends then. */
  readonly closing: AbortSignal;
  /** Says that the handler itself records how the request ends, even if it is refused. */
  readonly recordedByHandler: () => void;
}

export interface HttpAnswer {
  /** Default: 200. */
  status?: number;
  /** Names in lower case. Without `content-type`, text is `text/plain` and everything else JSON. */
  headers?: Readonly<Record<string, string | number>>;
  /** Strings and bytes are sent as they are, everything else as JSON. */
  body: unknown;
}
