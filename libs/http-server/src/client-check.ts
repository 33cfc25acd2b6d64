import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import { CodeExecutorError } from '@code-executor/contracts';
import type { FastifyRequest } from 'fastify';

const scheme = 'Bearer ';
/** The id of all clients if they share one token. */
const nameless = '';
const clients = new WeakMap<IncomingMessage, string>();

/** Which of the server's `clients` sent the request; undefined if they share one token, or need none. */
export function clientOf(request: FastifyRequest): string | undefined {
  return clients.get(request.raw) || undefined;
}

/** Whether the request has a valid token, or none is needed. */
export function isTrusted(request: FastifyRequest): boolean {
  return clients.has(request.raw);
}

/** Sets what {@link clientOf} returns for this request. */
export function rememberClient(request: FastifyRequest, id: string = nameless): void {
  clients.set(request.raw, id);
}

/** SHA-256 of a token, in hexadecimal digits. */
export function hashToken(token: string): string {
  return digest(Buffer.from(token)).toString('hex');
}

/** The SHA-256 of each client's token, by the client's name. */
export type TokenHashes = Readonly<Record<string, string>>;

/**
 * Finds the client whose token a request has. It compares all tokens, each in constant time, so that the time tells nothing
 * about any of them. Throws `invalid_argument` for anything that is not a hash.
 */
export function clientCheck(
  clients: TokenHashes | (() => TokenHashes),
): (request: IncomingMessage) => string | undefined {
  const expected =
    typeof clients === 'function' ? () => parseHashes(clients()) : constant(parseHashes(clients));
  return ({ headersDistinct }) => {
    // Node shows the first of several headers, while a proxy in between may have checked another one.
    const [value, ...others] = headersDistinct['authorization'] ?? [];
    if (others.length > 0 || value?.startsWith(scheme) !== true) return undefined;
    // Node reads each byte of a header as one character.
    const given = digest(Buffer.from(value.slice(scheme.length), 'latin1'));
    const found = expected().filter(({ hash }) => timingSafeEqual(given, hash));
    return found[0]?.id;
  };
}

function parseHashes(hashes: TokenHashes): { id: string; hash: Buffer }[] {
  return Object.entries(hashes).map(([id, hash]) => {
    if (!/^[0-9a-f]{64}$/.test(hash)) {
      const problem = `The token hash of client ${JSON.stringify(id)} is not 64 digits of 0-9, a-f; give its SHA-256.`;
      throw new CodeExecutorError('invalid_argument', problem);
    }
    return { id, hash: Buffer.from(hash, 'hex') };
  });
}

function digest(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function constant<Value>(value: Value): () => Value {
  return () => value;
}
