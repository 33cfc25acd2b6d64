import type { HttpServer } from '../options.js';
import { LoginFile, toScopes } from './login-file.js';

/** What is known about the login at a server. */
export interface LoginStatus {
  server: string;
  url: string;
  /** `expired`: it is renewed when it is needed, if `canRenew`. */
  state: 'none' | 'valid' | 'expired';
  /** The authorization server that issued it. */
  issuer?: string;
  scopes?: string[];
  /** Scopes that calls needed and the login does not have. */
  missingScopes?: string[];
  /** In ISO 8601; absent if that is unknown. */
  expiresAt?: string;
  canRenew?: boolean;
}

/** The login at a server as it is stored; never the tokens. */
export async function loginStatus(folder: string, name: string, server: HttpServer): Promise<LoginStatus> {
  const record = await new LoginFile(folder, server.url).read();
  const about = { server: name, url: withoutQuery(server.url) };
  if (!record) return { ...about, state: 'none' };
  const { issuer, expiresAt, tokens, missingScopes = [] } = record;
  return {
    ...about,
    state: expiresAt !== undefined && expiresAt <= Date.now() ? 'expired' : 'valid',
    issuer,
    scopes: toScopes(tokens.scope),
    ...(missingScopes.length > 0 && { missingScopes }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    canRenew: tokens.refresh_token !== undefined,
  };
}

/** Forgets the login at a server; false if there was none. */
export function removeLogin(folder: string, server: HttpServer): Promise<boolean> {
  return new LoginFile(folder, server.url).remove();
}

/** A query may hold a key. */
function withoutQuery(address: string): string {
  const url = new URL(address);
  return `${url.origin}${url.pathname}`;
}
