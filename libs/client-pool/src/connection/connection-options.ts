import type { JsonObject, Logger, ToolSchema } from '@code-executor/contracts';

import type { LoginTokens } from '../login/login-tokens.js';
import type { UpstreamServer } from '../options.js';
import type { Loss } from './connection-errors.js';
import type { ProtocolVerdict } from './protocol-verdict.js';

export interface ConnectionOptions {
  name: string;
  server: UpstreamServer;
  /** The whole environment of a child process. */
  env: Record<string, string>;
  connectTimeoutMs: number;
  /** Which protocol the server is known to speak, if any. */
  knownProtocol: () => ProtocolVerdict | undefined;
  /** What was known is no longer true. */
  onProtocolChanged: () => void;
  /** The login at the server; absent if it is not logged in at. */
  tokens?: LoginTokens | undefined;
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
