import { createHash } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { makePrivateFolder, readRegularFile, replaceFile, takeLock } from '@code-executor/files';

import { isRecord } from '../json-record.js';

const maxBytes = 1024 * 1024;
const lockWaitMs = 20_000;

/** What one login gave: bound to the server's URL and to the authorization server that issued it. */
export interface LoginRecord {
  version: 1;
  /** The server at which the tokens are used. */
  url: string;
  /** The authorization server that issued them; tokens are sent to no other one. */
  issuer: string;
  authorizationServerUrl: string;
  /** Its metadata, as it published them. */
  metadata?: Record<string, unknown>;
  /** The resource that the tokens are for. */
  resource?: string;
  client: ClientRecord;
  tokens: TokenRecord;
  /** In ms since 1970. */
  savedAt: number;
  /** From when on the access token is of no use, in ms since 1970; absent if that was not said. */
  expiresAt?: number | undefined;
  /** Scopes that calls needed and the login does not have. */
  missingScopes?: string[];
}

export interface ClientRecord {
  issuer: string;
  client_id: string;
  client_secret?: string;
  token_endpoint_auth_method?: string;
}

export interface TokenRecord {
  issuer: string;
  access_token: string;
  token_type: string;
  refresh_token?: string | undefined;
  scope?: string;
}

/** The file with the login at one server. Only its user can read it, and one process at a time changes it. */
export class LoginFile {
  readonly #folder: string;
  readonly #path: string;
  readonly #url: string;

  constructor(folder: string, url: string) {
    this.#folder = folder;
    this.#url = url;
    this.#path = join(folder, `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.json`);
  }

  /** The login; undefined if there is none that can be used. */
  async read(): Promise<LoginRecord | undefined> {
    const file = await readRegularFile(this.#path, { maxBytes, writableBy: 'operator' });
    const record = file && parse(file.text());
    return record?.url === this.#url ? record : undefined;
  }

  /** Changes when the file does. */
  async version(): Promise<string> {
    const stats = await stat(this.#path).catch(() => undefined);
    return stats ? `${stats.ino}:${stats.mtimeMs}:${stats.size}` : 'none';
  }

  /**
   * Runs `change` while no other process changes the login. What it returns replaces the login; undefined keeps it. A login
   * that was removed meanwhile stays removed.
   */
  async change(
    change: (record: LoginRecord | undefined) => Promise<LoginRecord | undefined> | LoginRecord | undefined,
  ): Promise<void> {
    await makePrivateFolder(this.#folder);
    const release = await takeLock(`${this.#path}.lock`, { subject: 'the login', waitMs: lockWaitMs });
    try {
      const before = await this.read();
      const record = await change(before);
      const isRemoved = before !== undefined && (await this.version()) === 'none';
      if (record && !isRemoved) await replaceFile(this.#path, `${JSON.stringify(record)}\n`);
    } finally {
      await release();
    }
  }

  /** False if there was none. */
  async remove(): Promise<boolean> {
    const isThere = (await this.version()) !== 'none';
    await rm(this.#path, { force: true });
    return isThere;
  }
}

function parse(text: string): LoginRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || value['version'] !== 1) return undefined;
  const { url, issuer, authorizationServerUrl, client, tokens, savedAt } = value;
  const hasTexts = [url, issuer, authorizationServerUrl].every((text) => typeof text === 'string');
  if (!hasTexts || typeof savedAt !== 'number' || !isRecord(client) || !isRecord(tokens)) return undefined;
  // Whoever edits the file could otherwise have tokens sent to another authorization server.
  if (client['issuer'] !== issuer || tokens['issuer'] !== issuer) return undefined;
  if (typeof client['client_id'] !== 'string' || typeof tokens['access_token'] !== 'string') return undefined;
  return value as unknown as LoginRecord;
}

/** Scopes as servers name them, without what no scope may hold; they are shown to people. */
export function toScopes(text: string | undefined): string[] {
  const scopes = (text ?? '').slice(0, 4096).split(' ');
  return [...new Set(scopes.filter((scope) => /^[\x21\x23-\x5B\x5D-\x7E]{1,100}$/.test(scope)))].slice(0, 30);
}
