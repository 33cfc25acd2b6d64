const maxPointerChars = 500;

/** Whether a value is a JSON object, and not an array or anything else. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The target of a `$ref` within the same document, or undefined. Nothing else is ever looked up, such as a file, an
 * address or an inherited property.
 */
export function localReference(
  root: unknown,
  reference: string,
): { target: unknown; name: string } | undefined {
  if (!reference.startsWith('#') || reference.length > maxPointerChars) return undefined;
  const pointer = decoded(reference.slice(1));
  if (pointer === '') return { target: root, name: '' };
  if (!pointer?.startsWith('/')) return undefined;
  const keys = pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  let target = root;
  for (const key of keys) {
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) return undefined;
    target = (target as Record<string, unknown>)[key];
  }
  return { target, name: keys.at(-1) ?? '' };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
