import { alphanumeric, digit, dot, isAccented, isIn, letter, percent, underscore } from './characters.js';
import type { Cursor } from './cursor.js';
import { escapeLength } from './escape-length.js';
import type { Pattern } from './pattern.js';

const maxLocal = 64;
const maxLabel = 63;
const maxDomain = 253;
const atSign = 64;
const dotCode = 46;
const dash = 45;
const plus = 43;

/** What stands before an `@` without being a person: Git over SSH, and labels in Kotlin. */
const notPeople = new Set(['git', 'this', 'super', 'return', 'break', 'continue']);
/** Names of files and of systemd units, such as `logo@2x.png`. */
const notDomains = new Set([
  ...['png', 'jpg', 'jpeg', 'gif', 'webp', 'svg', 'avif', 'js', 'mjs', 'cjs', 'ts', 'tsx', 'jsx', 'json'],
  ...['css', 'html', 'xml', 'yaml', 'yml', 'toml', 'txt', 'pdf', 'tgz', 'gz', 'exe', 'dll'],
  ...['service', 'socket', 'timer', 'target', 'mount', 'slice', 'scope', 'path'],
]);

export const email: Pattern = {
  name: 'email',
  kind: 'personal',
  finds: 'e-mail addresses',
  prefixes: [],
  at: 'word',
  match(cursor, index) {
    if (!cursor.mayHaveAtSign(index, maxLocal)) return undefined;
    // In `\tjane@example.org` as it is written in code, the address begins after the `t`.
    if (escapeLength(cursor, index) > 0) return undefined;
    let at = index;
    while (at - index <= maxLocal && isLocal(cursor.at(at))) at++;
    if (cursor.at(at) !== atSign || at - index > maxLocal || at === index) return undefined;
    if (cursor.at(at - 1) === dotCode || notPeople.has(cursor.text.slice(index, at))) return undefined;
    const end = domainEnd(cursor, at + 1);
    return end === undefined ? undefined : { start: index, end };
  },
};

function isLocal(code: number): boolean {
  if (code >= 128) return isAccented(code);
  return isIn(code, alphanumeric | dot | underscore | percent) || code === dash || code === plus;
}

/** The end of the longest domain here: two labels or more, the last one a name of letters. */
function domainEnd(cursor: Cursor, from: number): number | undefined {
  let end: number | undefined;
  let start = from;
  while (start - from <= maxDomain) {
    const labelEnd = readLabel(cursor, start);
    if (labelEnd === undefined) break;
    if (start > from && isTopLevel(cursor, start, labelEnd)) end = labelEnd;
    if (cursor.at(labelEnd) !== dotCode) break;
    start = labelEnd + 1;
  }
  if (end === undefined) return undefined;
  const last = cursor.text.slice(cursor.text.lastIndexOf('.', end) + 1, end);
  return notDomains.has(last.toLowerCase()) ? undefined : end;
}

/** The end of a label; undefined if there is none. */
function readLabel(cursor: Cursor, from: number): number | undefined {
  let end = from;
  while (end - from <= maxLabel && isLabel(cursor.at(end))) end++;
  while (end > from && cursor.at(end - 1) === dash) end--;
  return end === from || end - from > maxLabel || cursor.at(from) === dash ? undefined : end;
}

function isLabel(code: number): boolean {
  return code === dash || (code < 128 ? isIn(code, alphanumeric) : isAccented(code));
}

function isTopLevel(cursor: Cursor, from: number, end: number): boolean {
  if (end - from < 2 || end - from > 24) return false;
  if (cursor.startsWith('xn--', from)) return true;
  for (let at = from; at < end; at++) {
    const code = cursor.at(at);
    if (isIn(code, digit) || (code < 128 && !isIn(code, letter))) return false;
  }
  return true;
}
