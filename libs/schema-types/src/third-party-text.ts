import type { ToolLanguage } from './tool-language.js';

/** What no eye sees, ends a line somewhere, or changes the direction of what follows; halves of characters. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const blank = /[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

/** At most this many characters of a description are shown. */
export const maxTextChars = 500;

/** A text as a string literal of the language, on one line, with everything unseen as an escape. */
export function quoted(text: string, language: ToolLanguage): string {
  return JSON.stringify(text).replace(unseen, (char) => {
    const code = char.codePointAt(0) ?? 0;
    if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, '0')}`;
    return language === 'python' ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u{${code.toString(16)}}`;
  });
}

/** A text on one line, without what is unseen, at most `maxChars` long. Not escaped for any place yet. */
export function oneLine(text: unknown, maxChars = maxTextChars): string {
  if (typeof text !== 'string') return '';
  // Only the beginning of a megabyte is looked at.
  const line = text
    .slice(0, 4 * maxChars)
    .replace(blank, ' ')
    .trim();
  if (line.length <= maxChars) return line;
  return `${line.slice(0, maxChars - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Lines as a comment before a TypeScript declaration. */
export function docComment(lines: readonly string[], indent = ''): string {
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/').replace(/(^|[\s{])@/g, '$1\\@'));
  const [only = ''] = safe;
  if (safe.length < 2) return `${indent}/** ${only} */`;
  return [`${indent}/**`, ...safe.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`].join('\n');
}

/** Lines as a Python docstring. */
export function docString(lines: readonly string[], indent = ''): string {
  const safe = lines.map((line) => line.replaceAll('\\', '\\\\').replaceAll('"""', "'''"));
  return [`"""`, ...safe, `"""`].map((line) => `${indent}${line}`.trimEnd()).join('\n');
}
