import { base64Url, isIn } from './characters.js';
import type { Pattern } from './pattern.js';
import { restOf } from './rest.js';
import { runEnd } from './run-end.js';

const dotCode = 46;
const minHeader = 12;
const maxHeader = 2048;
const minPart = 10;
const rest = restOf(base64Url, true);

/** `header.payload.signature`, or the five parts of an encrypted token, of which the second may be empty. */
export const jwt: Pattern = {
  name: 'jwt',
  kind: 'secret',
  finds: 'JSON Web Tokens (eyJ)',
  prefixes: ['eyJ'],
  match(cursor, index) {
    // Each run of these characters is read once only, because headers may be long.
    if (isIn(cursor.previous, base64Url)) return undefined;
    const headerEnd = runEnd(cursor, index, base64Url, maxHeader);
    if (headerEnd - index < minHeader || cursor.at(headerEnd) !== dotCode) return undefined;
    const from = cursor.at(headerEnd + 1) === dotCode ? headerEnd + 2 : headerEnd + 1;
    const end = runEnd(cursor, from, base64Url, minPart);
    return end - from < minPart ? undefined : { start: index, end, rest };
  },
};
