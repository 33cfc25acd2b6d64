import { CodeExecutorError } from '@code-executor/contracts';
import type { HttpRequest } from '@code-executor/http-server';
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

import { EventLog, type HeldEvents } from './event-log.js';
import { toWebRequest } from './web-request.js';

/** How soon a client that lost a stream may ask for the rest of it. */
const retryMs = 1000;

export interface SessionOptions {
  id: string;
  /** The caller that began it; nobody else can use it. */
  owner: string;
  server: Server;
  held: HeldEvents;
  /** Called when it has begun, and when it has ended. */
  onBegun: (session: Session) => void;
  onEnded: (session: Session) => void;
}

/** A session of a client of 2025-11-25 or earlier: a server of its own, and streams that can be taken up again. */
export class Session {
  readonly id: string;
  readonly owner: string;
  readonly #server: Server;
  readonly #events: AnswerLog;
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  /** Requests and streams of the client that are open. */
  #open = 0;
  #idleSinceMs = performance.now();

  constructor({ id, owner, server, held, onBegun, onEnded }: SessionOptions) {
    this.id = id;
    this.owner = owner;
    this.#server = server;
    this.#events = new AnswerLog(held);
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: this.#events,
      retryInterval: retryMs,
      onsessioninitialized: () => onBegun(this),
    });
    this.#transport.onclose = () => {
      this.#events.clear();
      onEnded(this);
    };
  }

  /** Since when neither a request nor a stream is open; undefined while one is, or an answer is still to come. */
  get idleSinceMs(): number | undefined {
    return this.#open === 0 && !this.#events.awaitsAnswer ? this.#idleSinceMs : undefined;
  }

  /** Begins to serve. */
  async connect(): Promise<void> {
    await this.#server.connect(this.#transport);
  }

  async answer(request: HttpRequest): Promise<Response> {
    const { body } = request;
    this.#open++;
    const closeStream = () => this.#transport.closeStandaloneSSEStream();
    if (request.method === 'GET') request.closing.addEventListener('abort', closeStream);
    void request.ended.then(() => {
      this.#open--;
      this.#idleSinceMs = performance.now();
      request.closing.removeEventListener('abort', closeStream);
    });
    const lastEventId = request.headers['last-event-id'];
    if (typeof lastEventId === 'string' && this.#events.streamOf(lastEventId) === undefined) {
      throw new CodeExecutorError('invalid_argument', 'Last-Event-ID names no event of this session.');
    }
    this.#events.expectAnswerTo(body);
    const answer = await this.#transport.handleRequest(toWebRequest(request), {
      ...(body !== undefined && { parsedBody: body }),
    });
    if (!answer.ok) this.#events.expectNoAnswerTo(body);
    return answer;
  }

  /** Tells the client that the tools have changed, if it listens. */
  async tellToolsChanged(): Promise<void> {
    await this.#server.sendToolListChanged();
  }

  /** Forgets events that are too old. */
  dropOldEvents(): void {
    this.#events.dropOld();
  }

  /** Ends it, with everything that runs in it. */
  async close(): Promise<void> {
    await this.#server.close();
  }
}

/** Knows, besides the last messages, which requests are not answered yet, even if their client is gone for now. */
class AnswerLog extends EventLog {
  readonly #unanswered = new Set<RequestId>();

  get awaitsAnswer(): boolean {
    return this.#unanswered.size > 0;
  }

  expectAnswerTo(message: unknown): void {
    if (isJSONRPCRequest(message)) this.#unanswered.add(message.id);
    else if (isCancellation(message)) this.#unanswered.delete(message.params.requestId);
  }

  /** It was refused: nothing will be sent, and its id, which may be long, must not stay. */
  expectNoAnswerTo(message: unknown): void {
    if (isJSONRPCRequest(message)) this.#unanswered.delete(message.id);
  }

  override storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      if (message.id !== undefined) this.#unanswered.delete(message.id);
    }
    return super.storeEvent(streamId, message);
  }
}

/** A request that is cancelled gets no answer. */
function isCancellation(message: unknown): message is { params: { requestId: RequestId } } {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { requestId?: unknown } };
  return method === 'notifications/cancelled' && params?.requestId !== undefined;
}
