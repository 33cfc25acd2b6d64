/** Characters that are invisible, end a line, or change the text direction; and lone surrogates. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const blank = /[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

/** At most this many characters of a description are shown. */
export const maxTextChars = 500;

/** A text as a TypeScript string literal on one line, with invisible characters escaped. */
export function typeScriptLiteral(text: string): string {
  return literal(text, (hex) => `\\u{${hex}}`);
}

/** A text as a Python string literal, escaped in the same way. */
export function pythonLiteral(text: string): string {
  return literal(text, (hex) => `\\U${hex.padStart(8, '0')}`);
}

/** Languages differ in how they escape characters above U+FFFF. */
function literal(text: string, escapeLarge: (hex: string) => string): string {
  return JSON.stringify(text).replace(unseen, (char) => {
    const hex = (char.codePointAt(0) ?? 0).toString(16);
    return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : escapeLarge(hex);
  });
}

/** A text on one line, without invisible characters, at most `maxChars` long; not escaped yet. */
export function oneLine(text: unknown, maxChars = maxTextChars): string {
  if (typeof text !== 'string') return '';
  // Only the beginning of a long text is processed.
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
