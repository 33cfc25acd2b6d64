import * as sdk from '@modelcontextprotocol/client';
import {
  SdkError,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';

import { boundedFetch } from '../transport/bounded-fetch.js';
import { ConnectFailure } from './connect-failure.js';
import {
  deniesEra,
  isRefusal,
  type Loss,
  type RequestFault,
  rootCause,
  systemCode,
  tooLarge,
} from './connection-errors.js';
import type { LoginTokens } from '../login/login-tokens.js';
import type { HttpServer } from '../options.js';
import type { ProtocolVerdict } from './protocol-verdict.js';

/** Deprecated, as the transport itself is, but some servers speak nothing else. */
const {
  SSEClientTransport,
}: { SSEClientTransport: new (url: URL, options: sdk.SSEClientTransportOptions) => Transport } = sdk;

/** Which eras of MCP are tried, and which one the server is known to speak. */
export interface ConnectHow {
  protocol: 'legacy' | 'auto';
  verdict?: ProtocolVerdict | undefined;
}

export interface HttpConnectionOptions {
  name: string;
  server: HttpServer;
  /** Which protocol the server is known to speak, if any. */
  verdict: ProtocolVerdict | undefined;
  /** The server does not speak that protocol. */
  onVerdictWrong: () => void;
  tokens: LoginTokens | undefined;
  /** Starts a session over the transport. */
  connect: (transport: Transport, how: ConnectHow) => Promise<void>;
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
    ...(options.tokens && { authProvider: options.tokens }),
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
  const sse = () => connect(new SSEClientTransport(url, transportOptions), { protocol: 'legacy' });
  if (server.type === 'sse') return sse();
  const http = (verdict?: ProtocolVerdict) => {
    const protocol = server.protocol ?? 'auto';
    return connect(new StreamableHTTPClientTransport(url, transportOptions), { protocol, verdict });
  };
  try {
    await withVerdict(http, options);
  } catch (error) {
    // Only an answer shows that the server may speak the older transport.
    if (!isAnswer(error) || isRefusal(toFault(error))) throw error;
    await options.disconnect();
    await sse().catch((reason: unknown) => {
      throw reason instanceof sdk.SseError ? error : reason;
    });
  }
}

/** Connects as the server is known to speak, and if it does not any more, after asking it again. */
async function withVerdict(
  connect: (verdict?: ProtocolVerdict) => Promise<void>,
  { verdict, onVerdictWrong, disconnect, toFault }: HttpConnectionOptions,
): Promise<void> {
  if (!verdict) return connect();
  try {
    await connect(verdict);
  } catch (error) {
    if (!deniesEra(toFault(error))) throw error;
    onVerdictWrong();
    await disconnect();
    await connect();
  }
}

function isAnswer(error: unknown): boolean {
  if (error instanceof SdkHttpError) return true;
  return error instanceof SdkError && error.code === sdk.SdkErrorCode.ClientHttpUnexpectedContent;
}
