/** Longest name or value that is quoted in a message, in characters. */
const maxQuotedChars = 128;

/**
 * A name as messages show it: cut, and with everything but visible ASCII escaped, so that a trailing space, a
 * zero-width character or a look-alike letter can be seen and no control character gets through.
 */
export function quoteName(name: string): string {
  if (name === '') return '""';
  const visible = name
    .slice(0, maxQuotedChars)
    .replace(/[^\x21-\x7e]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
  return name.length > maxQuotedChars ? `${visible}…` : visible;
}

/** A JSON value as messages show it: its type and the beginning of its JSON. */
export function quoteValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  const type = Array.isArray(value) ? 'array' : typeof value;
  const json = toJson(value);
  if (json === undefined) return type;
  const short = json.length > maxQuotedChars ? `${json.slice(0, maxQuotedChars)}…` : json;
  return `${type} ${short}`;
}

function toJson(value: unknown): string | undefined {
  try {
    // A long text is cut before it is escaped, so that a megabyte costs little.
    return JSON.stringify(typeof value === 'string' ? value.slice(0, 2 * maxQuotedChars) : value);
  } catch {
    return undefined;
  }
}
