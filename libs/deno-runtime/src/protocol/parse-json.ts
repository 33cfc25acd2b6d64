/** Deeper values overflow recursive code (`JSON.stringify` between 4,000 and 8,000 levels). */
export const maxJsonDepth = 200;

/** Parses JSON text of unknown origin; undefined for text that is not JSON or nested too deep. */
export function parseJson(text: string): unknown {
  if (jsonDepth(text) > maxJsonDepth) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** How deep JSON text nests, counted without recursion. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (isString) {
      if (character === 0x5c) index++;
      else if (character === 0x22) isString = false;
    } else if (character === 0x22) isString = true;
    else if (character === 0x5b || character === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (character === 0x5d || character === 0x7d) depth--;
  }
  return deepest;
}
