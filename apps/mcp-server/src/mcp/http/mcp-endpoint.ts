import { type Caller, CodeExecutorError, type Logger, type SessionEvent } from '@code-executor/contracts';
import type { HttpRequest } from '@code-executor/http-server';
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type McpHttpHandler,
  type Server,
} from '@modelcontextprotocol/server';

import type { Served } from '../create-server.js';
import { logErrors } from '../log-errors.js';
import type { Era } from '../requesting-client.js';
import { Sessions } from './sessions.js';
import { toWebRequest } from './web-request.js';

/** Ids are kept until their requests are answered, which those that are cancelled never are. */
const maxIdChars = 256;

export interface EndpointOptions {
  /** Makes the server of a session, or of one request of 2026-07-28. */
  createServer: (served: Served) => Server;
  /** The caller of this name as the configuration describes it now; asked with each request. */
  callerOf: (clientId: string | undefined) => Caller;
  /** Gets the beginning and the end of each session. */
  record: (event: SessionEvent) => void;
  logger: Logger;
}

/** MCP over HTTP: sessions for clients up to 2025-11-25, and requests without one for those of 2026-07-28. */
export class McpEndpoint {
  readonly #sessions: Sessions;
  readonly #modern: McpHttpHandler;
  readonly #callerOf: EndpointOptions['callerOf'];

  constructor({ createServer, callerOf, record, logger }: EndpointOptions) {
    const serve = (era: Era, owner: string | undefined) =>
      createServer({ era, caller: () => callerOf(owner) });
    this.#callerOf = callerOf;
    this.#sessions = new Sessions({ createServer: (owner) => serve('legacy', owner), record });
    this.#modern = createMcpHandler(({ authInfo }) => serve('modern', authInfo?.clientId), {
      legacy: 'reject',
      onerror: logErrors(logger),
    });
  }

  /** Answers a request to the endpoint, by any of its methods. */
  async answer(request: HttpRequest): Promise<Response> {
    const { body, clientId } = request;
    const owner = this.#callerOf(clientId).id;
    if (Array.isArray(body)) {
      throw new CodeExecutorError(
        'invalid_argument',
        'The body is a batch; send one message in each request.',
      );
    }
    if (hasLongId(body)) {
      const problem = `The id of the message is too long; send at most ${maxIdChars} characters.`;
      throw new CodeExecutorError('invalid_argument', problem);
    }
    if (request.method === 'POST' && !(await isLegacyRequest(toWebRequest(request), body))) {
      return this.#answerModern(request, owner);
    }
    return this.#answerInSession(request, owner);
  }

  /** Tells the clients that listen that their tools have changed. */
  async toolsChanged(): Promise<void> {
    this.#modern.notify.toolsChanged();
    await this.#sessions.tellToolsChanged();
  }

  /** Ends the sessions of a caller. */
  endSessionsOf(clientId: string): Promise<void> {
    return this.#sessions.closeAllOf(clientId);
  }

  async close(): Promise<void> {
    await this.#modern.close();
    await this.#sessions.close();
  }

  #answerModern(request: HttpRequest, clientId: string): Promise<Response> {
    const { body, signal, closing } = request;
    // A subscription has no end of its own.
    const until = methodOf(body) === 'subscriptions/listen' ? AbortSignal.any([signal, closing]) : signal;
    const authInfo = { token: '', clientId, scopes: [] };
    return this.#modern.fetch(toWebRequest(request, until), { parsedBody: body, authInfo });
  }

  async #answerInSession(request: HttpRequest, owner: string): Promise<Response> {
    const id = request.headers['mcp-session-id'];
    if (typeof id === 'string') {
      const session = this.#sessions.get(id, owner);
      if (session) return session.answer(request);
      throw new CodeExecutorError('not_found', 'There is no such session; send initialize to begin one.');
    }
    if (!isInitializeRequest(request.body)) {
      const problem = 'The request has no Mcp-Session-Id; send initialize first, or the _meta of 2026-07-28.';
      throw new CodeExecutorError('invalid_argument', problem);
    }
    const session = await this.#sessions.begin(owner);
    const answer = await session.answer(request);
    // A client that could not be introduced has no session.
    if (answer.status >= 400) await session.close();
    return answer;
  }
}

/** The method of a JSON-RPC message; undefined for anything else. */
export function methodOf(body: unknown): string | undefined {
  const method = (body as { method?: unknown } | null | undefined)?.method;
  return typeof method === 'string' ? method : undefined;
}

function hasLongId(body: unknown): boolean {
  const id = (body as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' && id.length > maxIdChars;
}
