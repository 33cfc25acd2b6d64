import {
  type JsonObject,
  type Logger,
  type ToolResult,
  type ToolSchema,
  untilAborted,
  within,
} from '@code-executor/contracts';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import * as sseModule from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type JSONRPCMessage,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

import { limitAnswers } from '../transport/answer-limit.js';
import { cancelled } from '../calls/cancelled.js';
import { ConnectFailure } from './connect-failure.js';
import { asksTooMuch, type Loss, type RequestFault, toCallError, tooLarge } from './connection-errors.js';
import { explainConnectFailure } from './explain-connect-failure.js';
import { connectHttp } from './http-connection.js';
import type { HttpServer, StdioServer, UpstreamServer } from '../options.js';
import { parseMessage } from '../transport/parse-message.js';
import { type Present, presenter, secretBlanker } from './presentable.js';
import { toRequestFault } from './sdk-fault.js';
import { StdioTransport } from '../transport/stdio-transport.js';
import { listAllTools } from '../catalog/tool-listing.js';
import { rewordError, toToolResult } from '../calls/tool-result.js';
import { version } from '../version.js';

const closed: Loss = { code: 'cancelled', how: 'was closed' };
/** A call whose server reports progress for ever is given up after this many times its limit. */
const maxProgressExtensions = 10;
const endSessionMs = 1000;
/** How much of the last output of a server is logged, for each of its streams. */
const maxLoggedChars = 8192;
const { SseError }: { SseError: typeof sseModule.SseError } = sseModule;

export interface ConnectionOptions {
  name: string;
  server: UpstreamServer;
  /** The whole environment of a child process. */
  env: Record<string, string>;
  connectTimeoutMs: number;
  logger: Logger;
  onToolsChanged: () => void;
  /** The connection is gone; called once, also after `close()`. */
  onLost: (loss: Loss) => void;
}

export interface UpstreamCall {
  tool: ToolSchema;
  /** The tool's name at the server. */
  ownName: string;
  args: JsonObject;
  /** How long the call may take; progress starts it anew, ten times at most. */
  timeoutMs: number;
  /** The parent of what the server does. */
  traceparent: string | undefined;
  signal: AbortSignal | undefined;
}

/**
 * One connection to one upstream server, used once. The MCP SDK ends here: its types and errors
 * are known to this file and to `http-connection`, `sdk-fault` and `parse-message`, so that another SDK can take
 * its place.
 */
export class UpstreamConnection {
  readonly #options: ConnectionOptions;
  readonly #present: Present;
  readonly #blankSecrets: (text: string) => string;
  #client: Client | undefined;
  #transport: Transport | undefined;
  #loss: Loss | undefined;
  #closing: Promise<void> | undefined;
  #mediaType = '';
  #isLogged = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#present = presenter(options.server);
    this.#blankSecrets = secretBlanker(options.server);
  }

  /** Why the connection is gone; undefined while it is not. */
  get loss(): Loss | undefined {
    return this.#loss;
  }

  /** Connects until the signal fires; rejects with a `ConnectFailure`. Close the connection also in that case. */
  async open(signal: AbortSignal): Promise<void> {
    const { server } = this.#options;
    try {
      if ('command' in server) await this.#connect(this.#createStdioTransport(server), signal);
      else await this.#connectHttp(server, signal);
    } catch (error) {
      throw this.#toConnectFailure(error, signal, 'start a session');
    }
  }

  /** All tools by their own names. The SDK's `listTools` would reject them all for one bad `outputSchema`. */
  async listTools(signal: AbortSignal): Promise<Map<string, ToolSchema>> {
    const { name, logger } = this.#options;
    try {
      return await listAllTools(name, (cursor) => this.#requestToolPage(cursor, signal), logger);
    } catch (error) {
      throw this.#toConnectFailure(error, signal, 'list its tools');
    }
  }

  /** Resolves with the whole result; rejects with a `CodeExecutorError` that names tool and server. */
  async callTool(call: UpstreamCall): Promise<ToolResult> {
    const { tool, ownName, args, timeoutMs: timeout, traceparent, signal } = call;
    if (signal?.aborted) throw cancelled(signal);
    // A signal per call: the SDK never takes its listener off, and would cancel requests long answered.
    const abort = new AbortController();
    const onAbort = () => abort.abort('The caller cancelled the call.');
    signal?.addEventListener('abort', onAbort, { once: true });
    const params = { name: ownName, arguments: args, ...(traceparent && { _meta: { traceparent } }) };
    try {
      const raw = await this.#connected().request({ method: 'tools/call', params }, ResultSchema, {
        signal: abort.signal,
        timeout,
        maxTotalTimeout: timeout * maxProgressExtensions,
        resetTimeoutOnProgress: true,
        onprogress: () => {}, // asks the server for progress
      });
      const result = toToolResult(raw);
      if (!result) throw new Error('its answer is no tool result');
      return rewordError(result, this.#blankSecrets);
    } catch (error) {
      if (signal?.aborted) throw cancelled(signal);
      throw toCallError(this.#options.name, tool.name, this.#toFault(error), this.#loss, this.#isLogged);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Ends the session and the child process with its descendants; at most two seconds. */
  async close(): Promise<void> {
    this.#lose(closed);
    await this.#closing;
  }

  #connected(): Client {
    if (!this.#client || this.#loss) throw new Error('the connection is closed');
    return this.#client;
  }

  async #connect(transport: Transport, signal: AbortSignal): Promise<void> {
    const { name, logger, onToolsChanged, connectTimeoutMs } = this.#options;
    const client = new Client({ name: 'code-executor', version }, { capabilities: {} });
    client.onerror = (error) => {
      // The event stream is the whole connection; the SDK would reopen it without a session.
      if (error instanceof SseError) this.#lose({ code: 'unavailable', how: 'broke the connection' });
      logger.debug({ server: name, reason: this.#present(error.message) }, 'upstream protocol error');
    };
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => onToolsChanged());
    limitAnswers(transport, () => this.#lose(asksTooMuch));
    this.#client = client;
    this.#transport = transport;
    // The signal ends the wait; the SDK's own limit must not come first.
    await untilAborted(client.connect(transport, { timeout: connectTimeoutMs * 2 }), signal);
  }

  #connectHttp(server: HttpServer, signal: AbortSignal): Promise<void> {
    return connectHttp({
      name: this.#options.name,
      server,
      connect: (transport) => this.#connect(transport, signal),
      disconnect: async () => this.#client?.close(),
      toFault: (error) => this.#toFault(error),
      onMediaType: (mediaType) => (this.#mediaType = mediaType),
      onLost: (loss) => this.#lose(loss),
    });
  }

  #createStdioTransport(server: StdioServer): StdioTransport<JSONRPCMessage> {
    return new StdioTransport({
      server,
      env: this.#options.env,
      parse: parseMessage,
      onEnd: ({ how, isOverflow }) => this.#lose(isOverflow ? tooLarge : { code: 'unavailable', how }),
    });
  }

  async #requestToolPage(cursor: string | undefined, signal: AbortSignal): Promise<Record<string, unknown>> {
    const params = cursor === undefined ? {} : { cursor };
    const timeout = this.#options.connectTimeoutMs * 2;
    try {
      const request = this.#connected().request({ method: 'tools/list', params }, ResultSchema, { timeout });
      return await untilAborted(request, signal);
    } catch (error) {
      if (this.#toFault(error).kind === 'method_not_found') return { tools: [] };
      throw error;
    }
  }

  #lose(loss: Loss): void {
    if (this.#loss) return;
    this.#loss = loss;
    const { name, logger, onLost } = this.#options;
    if (loss !== closed) this.#log(loss.how);
    this.#closing = this.#shutDown(loss).catch((error: unknown) => {
      logger.debug({ server: name, err: error }, 'an upstream connection did not close well');
    });
    onLost(loss);
  }

  /** Closing the client rejects every request under way. */
  async #shutDown(loss: Loss): Promise<void> {
    if (loss === closed && this.#transport instanceof StreamableHTTPClientTransport) {
      await within(
        endSessionMs,
        this.#transport.terminateSession().catch(() => {}),
      );
    }
    await this.#client?.close();
    await this.#transport?.close();
  }

  #toConnectFailure(error: unknown, signal: AbortSignal, purpose: string): ConnectFailure {
    if (error instanceof ConnectFailure) return error;
    const { name, server, connectTimeoutMs } = this.#options;
    const fault = this.#toFault(error);
    const timeoutMs = signal.aborted ? connectTimeoutMs : undefined;
    const isAnswer = timeoutMs === undefined && this.#loss === undefined;
    this.#log(`failed to ${purpose}`, isAnswer ? fault.message : '');
    return explainConnectFailure({
      name,
      server,
      timeoutMs,
      loss: this.#loss,
      purpose,
      fault,
      garbageLines: this.#transport instanceof StdioTransport ? this.#transport.garbageLines : 0,
      isLogged: this.#isLogged,
    });
  }

  #toFault(error: unknown): RequestFault {
    const fault = toRequestFault(error, this.#present);
    return fault.kind === 'media_type' ? { ...fault, mediaType: this.#mediaType } : fault;
  }

  /** Logs what the server has said about its failure, which only the operator may read. */
  #log(how: string, answer = ''): void {
    if (this.#isLogged) return;
    const { stderr = '', stdout = '' } =
      this.#transport instanceof StdioTransport ? this.#transport.lastWords : {};
    const said = Object.entries({ answer, stderr, stdout }).flatMap(([where, text]) => {
      const shown = this.#present(text, maxLoggedChars);
      return shown === '' ? [] : [[where, shown]];
    });
    if (said.length === 0) return;
    this.#isLogged = true;
    const fields = { server: this.#options.name, how, ...(Object.fromEntries(said) as object) };
    this.#options.logger.warn(fields, 'the last words of an upstream server');
  }
}
