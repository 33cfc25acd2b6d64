import { CodeExecutorError, type Logger, type LoginEvent } from '@code-executor/contracts';
import {
  type AuthorizationServerMetadata,
  type AuthProvider,
  OAuthError,
  refreshAuthorization,
} from '@modelcontextprotocol/client';

import type { HttpServer } from '../options.js';
import { LoginFile, type LoginRecord, toScopes } from './login-file.js';
import { LoginNeeded } from './login-needed.js';
import { oauthFetch } from './oauth-fetch.js';

/** A token is renewed so long before it expires, so that it does not expire on its way. */
const renewBeforeMs = 60_000;
/** A token that was renewed a moment ago is not renewed again because of a request that was sent before. */
const justRenewedMs = 5_000;
/** A server that refused a login is asked again after this, though the login has not changed. */
const askAgainMs = 30_000;

export interface LoginTokensOptions {
  name: string;
  server: HttpServer;
  /** The folder with all logins. */
  folder: string;
  logger: Logger;
  record: (action: LoginEvent['action']) => void;
}

/** The tokens of one server's login, renewed in time; as a transport of the SDK wants them. */
export class LoginTokens implements AuthProvider {
  readonly #options: LoginTokensOptions;
  readonly #file: LoginFile;
  #record: LoginRecord | undefined;
  /** The version of the file that {@link LoginTokens.#record} is of. */
  #version: string | undefined;
  #renewing: Promise<void> | undefined;
  #renewedAt = -Infinity;
  #refused: { version: string; at: number } | undefined;

  constructor(options: LoginTokensOptions) {
    this.#options = options;
    this.#file = new LoginFile(options.folder, options.server.url);
  }

  /** What must not be shown. */
  get secrets(): string[] {
    const { access_token, refresh_token } = this.#record?.tokens ?? {};
    const all = [access_token, refresh_token, this.#record?.client.client_secret];
    return all.filter((secret) => secret !== undefined);
  }

  /** Whether the server has just refused this very login, so that it need not be asked again. */
  async isRefused(): Promise<boolean> {
    if (!this.#refused || performance.now() - this.#refused.at > askAgainMs) return false;
    return this.#refused.version === (await this.#file.version());
  }

  /** The access token for the next request; undefined without a login. */
  async token(): Promise<string | undefined> {
    await this.#load();
    if (this.#isExpiring()) await this.#renew('soon');
    return this.#record?.tokens.access_token;
  }

  /** The server refused the token. Resolves if there is another one now; otherwise rejects with `LoginNeeded`. */
  async onUnauthorized(): Promise<void> {
    const before = this.#record?.tokens.access_token;
    await this.#load();
    const current = this.#record?.tokens.access_token;
    if (current !== undefined && current !== before) return;
    if (current !== undefined && performance.now() - this.#renewedAt < justRenewedMs) return;
    await this.#renew('now');
  }

  /** The server has refused the login itself. */
  async refused(): Promise<void> {
    const isNews = this.#refused === undefined;
    this.#refused = { version: await this.#file.version(), at: performance.now() };
    if (isNews) this.#options.record('needed');
  }

  /** The server has accepted the login, or wants none. */
  accepted(): void {
    this.#refused = undefined;
  }

  /** Calls needed these scopes: the next login asks for them, too. */
  async missed(scopes: readonly string[]): Promise<void> {
    const missingScopes = toScopes([...(this.#record?.missingScopes ?? []), ...scopes].join(' '));
    await this.#file
      .change((record) => record && { ...record, missingScopes })
      .catch((error: unknown) => this.#warn('the scopes that a login lacks could not be noted', error));
  }

  #isExpiring(): boolean {
    const { expiresAt, savedAt = 0, tokens } = this.#record ?? {};
    if (expiresAt === undefined || tokens?.refresh_token === undefined) return false;
    const lifetimeMs = expiresAt - savedAt;
    return Date.now() > expiresAt - Math.min(renewBeforeMs, lifetimeMs / 4);
  }

  async #load(): Promise<void> {
    const version = await this.#file.version();
    if (version === this.#version) return;
    const record = await this.#file.read().catch((error: unknown) => {
      this.#warn('a login could not be read', error);
      return undefined;
    });
    this.#record = record && this.#isOfClient(record) ? record : undefined;
    this.#version = version;
  }

  /** A login that was made as another client is not this one's. */
  #isOfClient({ client }: LoginRecord): boolean {
    const { clientId } = this.#options.server.oauth ?? {};
    return clientId === undefined || clientId === client.client_id;
  }

  /** `soon`: the token still works. All requests share one attempt, and all processes one lock. */
  #renew(when: 'soon' | 'now'): Promise<void> {
    this.#renewing ??= this.#renewOnce(when).finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #renewOnce(when: 'soon' | 'now'): Promise<void> {
    const old = this.#record;
    if (old?.tokens.refresh_token === undefined) throw new LoginNeeded();
    try {
      await this.#file.change(async (record) => {
        // Another process may have renewed it meanwhile.
        if (!record || record.tokens.access_token !== old.tokens.access_token) return undefined;
        return this.#renewed(record);
      });
      this.#renewedAt = performance.now();
      await this.#load();
    } catch (error) {
      await this.#failToRenew(error, when);
    }
  }

  async #renewed(record: LoginRecord): Promise<LoginRecord> {
    const { url, tokens, client, metadata, resource } = record;
    const clientSecret = this.#options.server.oauth?.clientSecret;
    const fresh = await refreshAuthorization(record.authorizationServerUrl, {
      ...(metadata && { metadata: metadata as unknown as AuthorizationServerMetadata }),
      clientInformation: { ...client, ...(clientSecret !== undefined && { client_secret: clientSecret }) },
      refreshToken: tokens.refresh_token ?? '',
      ...(resource !== undefined && { resource: new URL(resource) }),
      fetchFn: oauthFetch(url),
    });
    this.#options.record('refreshed');
    return withTokens(record, { ...tokens, ...fresh, issuer: record.issuer }, fresh.expires_in);
  }

  async #failToRenew(error: unknown, when: 'soon' | 'now'): Promise<void> {
    const isRefused = error instanceof OAuthError;
    this.#warn('a login could not be renewed', isRefused ? { code: error.code } : error);
    this.#options.record('failed');
    if (isRefused && this.#record) {
      // It would be refused again.
      await this.#file.change((record) => record && withoutRefreshToken(record)).catch(() => undefined);
      await this.#load();
    }
    const isUsable = when === 'soon' && Date.now() < (this.#record?.expiresAt ?? 0);
    if (isUsable) return;
    if (isRefused) throw new LoginNeeded();
    const { name } = this.#options;
    const message = `The login at ${name} could not be renewed, because its authorization server did not answer; try again later.`;
    throw new CodeExecutorError('unavailable', message, { server: name, retryAfterMs: 1000 });
  }

  #warn(what: string, error: unknown): void {
    // The code alone: an error of the authorization server may repeat a token.
    const code = CodeExecutorError.is(error) ? error.message : undefined;
    this.#options.logger.warn(
      { server: this.#options.name, ...(code !== undefined && { reason: code }) },
      what,
    );
  }
}

/** Tokens as the SDK gives them. */
interface ReceivedTokens {
  issuer: string;
  access_token: string;
  token_type: string;
  refresh_token?: string | undefined;
  scope?: string | undefined;
}

/** The last moment that a Date can hold. */
const maxDateMs = 8.64e15;

/** The record with these tokens. */
export function withTokens(
  record: LoginRecord,
  tokens: ReceivedTokens,
  expiresInSeconds: number | undefined,
): LoginRecord {
  const { issuer, access_token, token_type, refresh_token, scope } = tokens;
  const savedAt = Date.now();
  return {
    ...record,
    savedAt,
    tokens: {
      issuer,
      access_token,
      token_type,
      ...(refresh_token !== undefined && { refresh_token }),
      ...(scope !== undefined && { scope }),
    },
    expiresAt: expiryOf(savedAt, expiresInSeconds),
  };
}

/** Undefined for a time that no date can show, which servers give for tokens that never expire. */
function expiryOf(savedAt: number, seconds: number | undefined): number | undefined {
  const expiresAt = savedAt + (seconds ?? NaN) * 1000;
  return expiresAt <= maxDateMs ? expiresAt : undefined;
}

function withoutRefreshToken(record: LoginRecord): LoginRecord {
  return { ...record, tokens: { ...record.tokens, refresh_token: undefined } };
}
