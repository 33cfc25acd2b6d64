import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A new token: 32 random bytes. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** A check whether a request has the token, in time that tells nothing about it. */
export function bearerCheck(token: string): (request: IncomingMessage) => boolean {
  const expected = digest(`Bearer ${token}`);
  return (request) => {
    // Node shows the first of several; whoever stands in between may have looked at another.
    const [value, ...others] = request.headersDistinct['authorization'] ?? [];
    return value !== undefined && others.length === 0 && timingSafeEqual(digest(value), expected);
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
