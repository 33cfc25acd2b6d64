import { type ToolResult, untilAborted, within } from '@code-executor/contracts';
import {
  type Client,
  type JSONRPCMessage,
  SseError,
  type RequestOptions,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';

import { anyResult } from './any-result.js';
import { limitAnswers } from '../transport/answer-limit.js';
import { cancelled } from '../calls/cancelled.js';
import { ConnectFailure } from './connect-failure.js';
import type { ConnectionOptions, UpstreamCall } from './connection-options.js';
import {
  asksTooMuch,
  deniesEra,
  loginLoss,
  type Loss,
  type RequestFault,
  toCallError,
  tooLarge,
} from './connection-errors.js';
import { explainConnectFailure } from './explain-connect-failure.js';
import { parameterHeaders, withUsableHeaders } from './header-parameters.js';
import { type ConnectHow, connectHttp } from './http-connection.js';
import type { HttpServer, StdioServer } from '../options.js';
import { logLastWords } from './last-words.js';
import { LoginNeededFailure } from '../login/login-needed.js';
import { McpClient } from './mcp-client.js';
import { parseMessage } from '../transport/parse-message.js';
import { type Present, presenter, secretBlanker } from './presentable.js';
import { toRequestFault } from './sdk-fault.js';
import { StdioTransport } from '../transport/stdio-transport.js';
import { type ListedTools, listAllTools } from '../catalog/tool-listing.js';
import { rewordError, toToolResult } from '../calls/tool-result.js';

const closed: Loss = { code: 'cancelled', how: 'was closed' };
/** A call whose server reports progress for ever is given up after this many times its limit. */
const maxProgressExtensions = 10;
const endSessionMs = 1000;

/**
 * One connection to one upstream server, used once. The MCP SDK ends here: its types and errors
 * are known to this file and to `mcp-client`, `http-connection`, `sdk-fault` and `parse-message`, and those of its OAuth
 * client to the folder `login`, so that another SDK can take its place.
 */
export class UpstreamConnection {
  readonly #options: ConnectionOptions;
  readonly #present: Present;
  readonly #blankSecrets: (text: string) => string;
  #client: McpClient | undefined;
  #transport: Transport | undefined;
  #loss: Loss | undefined;
  #closing: Promise<void> | undefined;
  #mediaType = '';
  #isLogged = false;
  /** The era was taken from an earlier connection, and no answer has shown yet that it is still right. */
  #isEraUnproven = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const moreSecrets = () => options.tokens?.secrets ?? [];
    this.#present = presenter(options.server, moreSecrets);
    this.#blankSecrets = secretBlanker(options.server, moreSecrets);
  }

  /** Why the connection is gone; undefined while it is not. */
  get loss(): Loss | undefined {
    return this.#loss;
  }

  /** Connects until the signal fires; rejects with a `ConnectFailure`. Close the connection also in that case. */
  async open(signal: AbortSignal): Promise<void> {
    const { name, server, tokens } = this.#options;
    if (await tokens?.isRefused()) throw new LoginNeededFailure(name);
    try {
      if ('command' in server)
        await this.#connect(this.#createStdioTransport(server), signal, {
          protocol: server.protocol ?? 'legacy',
        });
      else await this.#connectHttp(server, signal);
    } catch (error) {
      throw this.#toConnectFailure(error, signal, 'start a session');
    }
  }

  /** All tools by their own names. The SDK's `listTools` would reject them all for one bad `outputSchema`. */
  async listTools(signal: AbortSignal): Promise<ListedTools> {
    const { name, logger } = this.#options;
    const ttls: number[] = [];
    const requestPage = async (cursor: string | undefined) => {
      const page = await this.#requestToolPage(cursor, signal);
      if (typeof page['ttlMs'] === 'number' && page['ttlMs'] > 0) ttls.push(page['ttlMs']);
      return page;
    };
    try {
      const listed = await listAllTools(name, requestPage, logger);
      const { verdict: protocol, repeatsArguments } = this.#connected();
      const leaveOut = (tool: string) =>
        logger.warn({ server: name, tool }, 'tool with bad headers left out');
      const tools = repeatsArguments ? withUsableHeaders(listed, leaveOut) : listed;
      return { tools, protocol, ...(ttls.length > 0 && { ttlMs: Math.min(...ttls) }) };
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
      const raw = await this.#request(
        { method: 'tools/call', params },
        {
          signal: abort.signal,
          ...(this.#connected().repeatsArguments && { headers: parameterHeaders(tool.parameters, args) }),
          timeout,
          maxTotalTimeout: timeout * maxProgressExtensions,
          resetTimeoutOnProgress: true,
          onprogress: () => {}, // asks the server for progress
        },
      );
      const result = toToolResult(raw);
      if (!result) throw new Error('its answer is no tool result');
      return rewordError(result, this.#blankSecrets);
    } catch (error) {
      if (signal?.aborted) throw cancelled(signal);
      const fault = this.#toFault(error);
      if (fault.kind === 'login') {
        await this.#options.tokens?.refused();
        this.#lose(loginLoss);
      }
      if (fault.kind === 'scope') await this.#options.tokens?.missed(fault.scopes ?? []);
      throw toCallError(this.#options.name, tool.name, fault, this.#loss, this.#isLogged);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Ends the session and the child process with its descendants; at most two seconds. */
  async close(): Promise<void> {
    this.#lose(closed);
    await this.#closing;
  }

  async #request(
    request: Parameters<Client['request']>[0],
    options: RequestOptions,
  ): Promise<Record<string, unknown>> {
    try {
      const result = await this.#connected().client.request(request, anyResult, options);
      this.#isEraUnproven = false;
      this.#options.tokens?.accepted();
      return result;
    } catch (error) {
      if (this.#isEraUnproven && deniesEra(this.#toFault(error))) this.#loseEra();
      throw error;
    }
  }

  #connected(): McpClient {
    if (!this.#client || this.#loss) throw new Error('the connection is closed');
    return this.#client;
  }

  async #connect(
    transport: Transport,
    signal: AbortSignal,
    { protocol, verdict }: ConnectHow,
  ): Promise<void> {
    const { name, logger, onToolsChanged, connectTimeoutMs } = this.#options;
    const client = new McpClient({
      protocol,
      onToolsChanged,
      onError: (error) => {
        // The event stream is the whole connection; the SDK would reopen it without a session.
        if (error instanceof SseError) this.#lose({ code: 'unavailable', how: 'broke the connection' });
        logger.debug({ server: name, reason: this.#present(error.message) }, 'upstream protocol error');
      },
    });
    limitAnswers(transport, () => this.#lose(asksTooMuch));
    this.#client = client;
    this.#transport = transport;
    // The signal ends the wait; the SDK's own limit must not come first.
    await untilAborted(client.connect(transport, { verdict, timeoutMs: connectTimeoutMs * 2 }), signal);
    this.#isEraUnproven = verdict?.era === 'modern';
  }

  #connectHttp(server: HttpServer, signal: AbortSignal): Promise<void> {
    return connectHttp({
      name: this.#options.name,
      server,
      verdict: this.#options.knownProtocol(),
      tokens: this.#options.tokens,
      onVerdictWrong: this.#options.onProtocolChanged,
      connect: (transport, how) => this.#connect(transport, signal, how),
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
      const request = this.#request({ method: 'tools/list', params }, { timeout });
      return await untilAborted(request, signal);
    } catch (error) {
      if (this.#toFault(error).kind === 'method_not_found') return { tools: [] };
      throw error;
    }
  }

  /** Nothing was executed, because the server did not understand the request. The next connection asks it again. */
  #loseEra(): void {
    this.#options.onProtocolChanged();
    this.#lose({ code: 'unavailable', how: 'speaks another version of MCP now', isSessionExpired: true });
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
    const { name, server, tokens, connectTimeoutMs } = this.#options;
    const fault = this.#toFault(error);
    if (fault.kind === 'login') {
      void tokens?.refused();
      return new LoginNeededFailure(name);
    }
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
    // Also the renewed token was refused.
    if (fault.status === 401 && this.#options.tokens) return { kind: 'login', message: fault.message };
    return fault.kind === 'media_type' ? { ...fault, mediaType: this.#mediaType } : fault;
  }

  /** Logs what the server has said about its failure, which only the operator may read. */
  #log(how: string, answer = ''): void {
    if (this.#isLogged) return;
    const { name: server, logger } = this.#options;
    const failure = { server, transport: this.#transport, how, answer };
    this.#isLogged = logLastWords(failure, { present: this.#present, logger });
  }
}
