/**
 * The bytes of a JSON value as compact UTF-8 JSON. Counting stops soon after `limit`: the result is
 * then only known to be larger. There is no recursion and no second copy of large texts, because results are hostile.
 */
export function countJsonBytes(value: unknown, limit: number): number {
  let bytes = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && bytes <= limit) {
    const next = waiting.pop();
    if (typeof next === 'string') {
      bytes += stringBytes(next, limit - bytes);
    } else if (Array.isArray(next)) {
      bytes += listBytes(next.length);
      for (const item of next as unknown[]) waiting.push(item ?? null);
    } else if (typeof next === 'object' && next !== null) {
      const entries = Object.entries(next).filter(([, member]) => member !== undefined);
      bytes += listBytes(entries.length) + entries.length;
      for (const [key, member] of entries) waiting.push(key, member);
    } else {
      bytes += String(next).length;
    }
  }
  return bytes;
}

/** The brackets and commas of a list or an object. */
function listBytes(members: number): number {
  return 2 + Math.max(0, members - 1);
}

function stringBytes(text: string, limit: number): number {
  // Each UTF-16 unit takes a byte at least, so a text that is longer than the limit need not be escaped.
  return text.length > limit ? text.length : Buffer.byteLength(JSON.stringify(text));
}
