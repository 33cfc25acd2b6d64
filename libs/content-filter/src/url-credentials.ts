import { codesOf } from './characters.js';
import type { Pattern } from './pattern.js';

const scheme = '://';
const maxChars = 256;
const atSign = 64;
const colon = 58;
/** What ends the part of an address that may hold a password, and placeholders such as `${PASSWORD}`. */
const stops = codesOf('/?#\\ \t\r\n"\'`<>{}|$()[]');

/** The `user:password` of an address such as `postgres://user:password@host/`. The host stays. */
export const urlCredentials: Pattern = {
  name: 'url_credentials',
  kind: 'secret',
  finds: 'user and password in addresses (scheme://user:password@host)',
  prefixes: [scheme],
  match(cursor, index) {
    const start = index + scheme.length;
    if (!cursor.mayHaveAtSign(start, maxChars)) return undefined;
    let firstColon = -1;
    let end = -1;
    for (let at = start; at - start < maxChars; at++) {
      const code = cursor.at(at);
      if (code === -1 || stops.has(code)) break;
      if (code === colon && firstColon === -1) firstColon = at;
      if (code === atSign) end = at;
    }
    const hasPassword = firstColon !== -1 && firstColon < end - 1;
    return hasPassword ? { start, end } : undefined;
  },
};
