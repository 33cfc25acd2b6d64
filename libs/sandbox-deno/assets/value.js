/** What can be said of a program's value before it is JSON. */

/** Why a value would be lost as JSON, though `JSON.stringify` takes it; undefined if it would not. */
export function unlikeJson(value) {
  if (typeof value === 'function')
    return 'it is a function; call it, for example: export default await main()';
  if (typeof value === 'symbol') return 'it is a symbol';
  if (value instanceof Map) return 'it is a Map; return Object.fromEntries(map)';
  if (value instanceof Set) return 'it is a Set; return [...set]';
  if (value instanceof Blob) return 'it is a Blob and no picture; return await blob.text()';
  if (value instanceof Error) return 'it is an Error; throw it, or return its message';
  return undefined;
}
