import { base64, codesOf, digit, isIn, upper } from './characters.js';
import type { Cursor } from './cursor.js';
import type { Pattern, Rest } from './pattern.js';
import { runEnd } from './run-end.js';

const begin = '-----BEGIN ';
const footer = '-----END ';
const dashes = '-----';
const space = 32;
const dashCode = 45;
/** The longest label is that of PGP: `PGP PRIVATE KEY BLOCK`. */
const maxLabel = 40;
const maxGap = 16;
/** Base64 that must follow, so that a header in a sentence is no key. */
const minBody = 16;
/** Private keys of RSA with 16,384 bits have 12 KB. */
const maxChars = 16 * 1024;
const gap = codesOf(' \t\r\n\\"+,\'');
const stops = codesOf('"\'`<>{}');
/** What stands between the header and the body in PGP and in keys with a password. */
const bodyHeaders = ['Proc-Type:', 'DEK-Info:', 'Version:', 'Comment:', 'Hash:', 'Charset:'];

/** A key in PEM, also with `\n` instead of line ends, up to its END line. */
export const privateKey: Pattern = {
  name: 'private_key',
  kind: 'secret',
  finds: 'private keys in PEM and PGP (-----BEGIN … PRIVATE KEY-----)',
  prefixes: [begin],
  match(cursor, index) {
    const label = index + begin.length;
    const labelEnd = readLabel(cursor, label);
    if (!cursor.text.slice(label, labelEnd).includes('PRIVATE KEY')) return undefined;
    if (!cursor.startsWith(dashes, labelEnd)) return undefined;
    const body = skipGap(cursor, labelEnd + dashes.length);
    if (!startsBody(cursor, body)) return undefined;
    return { start: index, end: body, rest: restOfKey() };
  },
};

function readLabel(cursor: Cursor, from: number): number {
  let end = from;
  while (end - from < maxLabel) {
    const code = cursor.at(end);
    if (code !== space && !isIn(code, upper | digit)) break;
    end++;
  }
  return end;
}

/** Line ends, also escaped ones: a backslash with its letter, and quotes between lines in source code. */
function skipGap(cursor: Cursor, from: number): number {
  let index = from;
  while (index - from < maxGap) {
    const code = cursor.at(index);
    if (!gap.has(code)) break;
    const isEscape = code === 92 && (cursor.at(index + 1) === 110 || cursor.at(index + 1) === 114);
    index += isEscape ? 2 : 1;
  }
  return index;
}

function startsBody(cursor: Cursor, from: number): boolean {
  if (runEnd(cursor, from, base64, minBody) - from === minBody) return true;
  return bodyHeaders.some((header) => cursor.startsWith(header, from));
}

/** Up to and with the END line; without one, up to a quote or a bracket, or 16 KB. */
function restOfKey(): Rest {
  let left = maxChars;
  return (cursor, from) => {
    let to = from;
    for (; to < cursor.text.length && left > 0; to++, left--) {
      const code = cursor.at(to);
      if (stops.has(code)) return { to, isOver: true };
      if (code !== dashCode) continue;
      const end = footerEnd(cursor, to);
      if (cursor.needsMore) return { to, isOver: false };
      if (end !== undefined) return { to: end, isOver: true };
    }
    return { to, isOver: left === 0 };
  };
}

function footerEnd(cursor: Cursor, index: number): number | undefined {
  if (!cursor.startsWith(footer, index)) return undefined;
  const labelEnd = readLabel(cursor, index + footer.length);
  return cursor.startsWith(dashes, labelEnd) ? labelEnd + dashes.length : undefined;
}
