import { setTimeout as delay } from 'node:timers/promises';

import {
  Client,
  type PriorDiscovery,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';

import { modernVerdict, type ProtocolVerdict } from './protocol-verdict.js';
import { version } from '../version.js';

/** A stream of notifications that lasted this long is opened again at once, others after longer and longer pauses. */
const stableMs = 30_000;
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;

export interface McpClientOptions {
  /** `auto` asks for the modern era first; `legacy` is `initialize` and nothing else. */
  protocol: 'legacy' | 'auto';
  onError: (error: Error) => void;
  onToolsChanged: () => void;
}

/** How to connect: what is known about the server, and until when. */
export interface McpConnectOptions {
  verdict: ProtocolVerdict | undefined;
  timeoutMs: number;
}

/** A client of the SDK that speaks both eras of MCP, and hears of changes in both. */
export class McpClient {
  readonly client: Client;
  readonly #options: McpClientOptions;
  readonly #stop = new AbortController();
  #isHttp = false;

  constructor(options: McpClientOptions) {
    this.#options = options;
    this.client = new Client(
      { name: 'code-executor', version },
      // The extension for tasks is not declared, because a task could not be followed.
      { capabilities: {}, versionNegotiation: { mode: options.protocol } },
    );
    this.client.onerror = options.onError;
    this.client.setNotificationHandler('notifications/tools/list_changed', () => options.onToolsChanged());
  }

  async connect(transport: Transport, { verdict, timeoutMs }: McpConnectOptions): Promise<void> {
    this.#isHttp = transport instanceof StreamableHTTPClientTransport;
    const prior = this.#options.protocol === 'auto' && verdict ? toPrior(verdict) : undefined;
    try {
      await this.client.connect(transport, { timeout: timeoutMs, ...(prior && { prior }) });
    } catch (error) {
      throw reasonOf(error);
    }
    if (this.#isModern && this.#announcesTools) void this.#listen();
  }

  /** What the connection has shown about the server. */
  get verdict(): ProtocolVerdict {
    const { supportedVersions } = this.client.getDiscoverResult() ?? {};
    return this.#isModern && supportedVersions
      ? modernVerdict(supportedVersions, this.#announcesTools)
      : { era: 'legacy', at: Date.now() };
  }

  /** Whether calls repeat arguments in headers where a tool's schema asks for it. */
  get repeatsArguments(): boolean {
    return this.#isHttp && this.#isModern;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.client.close();
  }

  get #isModern(): boolean {
    return this.client.getProtocolEra() === 'modern';
  }

  get #announcesTools(): boolean {
    return this.client.getServerCapabilities()?.tools?.listChanged === true;
  }

  /** In the modern era changes are told only to those who listen. Not awaited: a server that is silent delays no call. */
  async #listen(): Promise<void> {
    const { signal } = this.#stop;
    const isOver = () => signal.aborted;
    let isFirst = true;
    for (let pauseMs = firstPauseMs; !isOver(); pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      const startedAt = performance.now();
      try {
        const subscription = await this.client.listen({ toolsListChanged: true }, { signal });
        // A change may have been announced before.
        if (!isFirst) this.#options.onToolsChanged();
        isFirst = false;
        if ((await subscription.closed) !== 'remote') return;
      } catch (error) {
        if (isOver()) return;
        if (error instanceof Error) this.#options.onError(error);
        if (error instanceof ProtocolError) return;
      }
      if (performance.now() - startedAt > stableMs) pauseMs = firstPauseMs;
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

/** The failure under that of the negotiation, so that it is judged as that of any other request. */
function reasonOf(error: unknown): unknown {
  const isNegotiation = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
  return isNegotiation && error.cause instanceof Error ? error.cause : error;
}

function toPrior(verdict: ProtocolVerdict): PriorDiscovery {
  if (verdict.era === 'legacy') return { kind: 'legacy' };
  const { versions: supportedVersions, announcesTools: listChanged } = verdict;
  const capabilities = { tools: { listChanged } };
  return {
    kind: 'modern',
    discover: { supportedVersions, capabilities, ttlMs: 0, cacheScope: 'private' },
  };
}
