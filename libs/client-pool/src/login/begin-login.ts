import { randomBytes } from 'node:crypto';

import { CodeExecutorError, untilAborted } from '@code-executor/contracts';
import { auth, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { askForChallenge } from './ask-for-challenge.js';
import { explainLoginFailure } from './explain-login-failure.js';
import { LoginFile, type LoginRecord, toScopes } from './login-file.js';
import { LoginProvider } from './login-provider.js';
import { withTokens } from './login-tokens.js';
import { mayBeAsked, oauthFetch } from './oauth-fetch.js';
import type { HttpServer } from '../options.js';
import { openRedirectListener, type RedirectListener } from './redirect-listener.js';

/** How long a person may take. */
const defaultTimeoutMs = 300_000;

export interface LoginOptions {
  name: string;
  server: HttpServer;
  /** The folder with all logins. */
  folder: string;
  /** How long the person may take, in ms. Default 300,000. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** A login that waits for a person. */
export interface LoginUnderWay {
  /** What the person opens in a browser of this machine. */
  url: string;
  /** Resolves when the login is made and stored. */
  finished: Promise<{ scopes: string[] }>;
}

/** Asks the server how it is logged in at, and waits for the person in the background. */
export async function beginLogin(options: LoginOptions): Promise<LoginUnderWay> {
  const { name, server, folder, signal, timeoutMs = defaultTimeoutMs } = options;
  const file = new LoginFile(folder, server.url);
  const state = randomBytes(32).toString('base64url');
  const listener = await openRedirectListener(state);
  const provider = new LoginProvider({ redirectUrl: listener.url, state, oauth: server.oauth ?? {} });
  try {
    const url = await authorizationUrl(provider, file, options);
    const end = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
    const finished = finish(provider, listener, file, options, end);
    // Whoever is interested awaits it.
    finished.catch(() => undefined);
    return { url, finished };
  } catch (error) {
    await listener.close();
    throw explainLoginFailure(name, error, provider);
  }
}

async function authorizationUrl(
  provider: LoginProvider,
  file: LoginFile,
  options: LoginOptions,
): Promise<string> {
  const { name, server, signal } = options;
  const fetchFn = oauthFetch(server.url, signal);
  const challenge = await askForChallenge(server, fetchFn);
  const before = await file.read();
  const wanted = [
    ...(server.oauth?.scopes ?? []),
    ...toScopes(challenge.scope),
    ...toScopes(before?.tokens.scope),
    ...(before?.missingScopes ?? []),
  ];
  const start = auth(provider, {
    serverUrl: server.url,
    fetchFn,
    forceReauthorization: true,
    ...(wanted.length > 0 && { scope: [...new Set(wanted)].join(' ') }),
    ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
  });
  await start.catch((error: unknown) => {
    if (!challenge.isOpen || provider.discovered?.authorizationServerMetadata) throw error;
    const message = `Server ${name} does not ask for a login.`;
    throw new CodeExecutorError('failed_precondition', message, { server: name });
  });
  const url = provider.authorizationUrl;
  // A browser could be made to open anything else.
  if (!url || !mayBeAsked(url, new URL(server.url))) {
    throw new CodeExecutorError('failed_precondition', 'its login leads to an address without TLS');
  }
  return url.href;
}

async function finish(
  provider: LoginProvider,
  listener: RedirectListener,
  file: LoginFile,
  { name, server }: LoginOptions,
  signal: AbortSignal,
): Promise<{ scopes: string[] }> {
  try {
    const parameters = await untilAborted(listener.answer, signal);
    const fetch = oauthFetch(server.url, signal);
    const transport = new StreamableHTTPClientTransport(new URL(server.url), {
      authProvider: provider,
      fetch,
    });
    await transport.finishAuth(parameters);
    const record = toRecord(server, provider);
    await file.change(() => record);
    return { scopes: toScopes(record.tokens.scope) };
  } catch (error) {
    throw explainLoginFailure(name, error, provider, signal);
  } finally {
    await listener.close();
  }
}

function toRecord(server: HttpServer, { client, received, discovered }: LoginProvider): LoginRecord {
  const issuer = received?.issuer;
  if (!client || !received || !discovered || issuer === undefined) throw new Error('no tokens came');
  const metadata = discovered.authorizationServerMetadata;
  const resource = discovered.resourceMetadata?.resource;
  const method = 'token_endpoint_auth_method' in client ? client.token_endpoint_auth_method : undefined;
  // The secret of a client that is registered by hand stays in the configuration.
  const secret = server.oauth?.clientId === undefined ? client.client_secret : undefined;
  const record: LoginRecord = {
    version: 1,
    url: server.url,
    issuer,
    authorizationServerUrl: discovered.authorizationServerUrl,
    ...(metadata && { metadata }),
    ...(resource !== undefined && { resource }),
    client: {
      issuer,
      client_id: client.client_id,
      ...(secret !== undefined && { client_secret: secret }),
      ...(typeof method === 'string' && { token_endpoint_auth_method: method }),
    },
    tokens: { issuer, access_token: '', token_type: '' },
    savedAt: Date.now(),
  };
  return withTokens(record, { ...received, issuer }, received.expires_in);
}
