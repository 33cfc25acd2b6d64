import * as sseModule from '@modelcontextprotocol/sdk/client/sse.js';
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

import { boundedFetch } from '../transport/bounded-fetch.js';
import { ConnectFailure } from './connect-failure.js';
import {
  isRefusal,
  type Loss,
  type RequestFault,
  rootCause,
  systemCode,
  tooLarge,
} from './connection-errors.js';
import type { HttpServer } from '../options.js';

/** Deprecated, as the transport itself is, but some servers speak nothing else. */
const {
  SSEClientTransport,
  SseError,
}: {
  SSEClientTransport: new (url: URL, options: sseModule.SSEClientTransportOptions) => Transport;
  SseError: typeof sseModule.SseError;
} = sseModule;

export interface HttpConnectionOptions {
  name: string;
  server: HttpServer;
  /** Starts a session over the transport. */
  connect: (transport: Transport) => Promise<void>;
  /** Ends what a failed `connect` has left open. */
  disconnect: () => Promise<void>;
  toFault: (error: unknown) => RequestFault;
  /** The kind of what the server answers to a request. */
  onMediaType: (mediaType: string) => void;
  /** The connection is gone. */
  onLost: (loss: Loss) => void;
}

/** Connects over Streamable HTTP, and over SSE if the server answers that it does not speak the former. */
export async function connectHttp(options: HttpConnectionOptions): Promise<void> {
  const { name, server, connect, toFault, onLost } = options;
  const url = URL.canParse(server.url) ? new URL(server.url) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    const fix = `Correct url of ${name} in your configuration.`;
    throw new ConnectFailure(name, 'its url is no http or https URL', fix);
  }
  if (url.username !== '' || url.password !== '') {
    const fix = `Put them into headers of ${name} in your configuration, as Authorization.`;
    throw new ConnectFailure(name, 'its url holds a user name or password, which is not sent', fix);
  }
  const transportOptions = {
    requestInit: { headers: server.headers ?? {} },
    fetch: boundedFetch({
      onMediaType: options.onMediaType,
      onTooLarge: () => onLost(tooLarge),
      onBroken: (cause) => {
        const what = systemCode(cause) ?? toFault(rootCause(cause)).message;
        onLost({ code: 'unavailable', how: `cannot be reached (${what})` });
      },
      onSessionLost: (status) => {
        onLost({ code: 'unavailable', how: `ended the session (HTTP ${status})`, isSessionExpired: true });
      },
    }),
  };
  const sse = () => connect(new SSEClientTransport(url, transportOptions));
  if (server.type === 'sse') return sse();
  try {
    await connect(new StreamableHTTPClientTransport(url, transportOptions));
  } catch (error) {
    // Only an answer shows that the server may speak the older transport.
    if (!(error instanceof StreamableHTTPError) || isRefusal(toFault(error))) throw error;
    await options.disconnect();
    await sse().catch((reason: unknown) => {
      throw reason instanceof SseError ? error : reason;
    });
  }
}
