/** Converts a program's value to JSON. */
import { describeImportFailure, isImportFailure } from './advice.js';

// Saved before the program runs, because it can replace globals.
const { ArrayBuffer, Blob, Error, Map, Set } = globalThis;
const { isSafeInteger } = Number;
const { stringify } = JSON;

/** Why a value cannot be JSON, or undefined if it may be. */
export function unlikeJson(value) {
  if (typeof value === 'function')
    return 'it is a function; call it, for example: export default await main()';
  if (typeof value === 'symbol') return 'it is a symbol';
  if (value instanceof Blob) return 'it is a Blob and no picture; return await blob.text()';
  return undefined;
}

/** Returns `{ json, note }`; `json` is undefined if a `toJSON()` returns nothing. Throws what `JSON.stringify` throws. */
export function toJson(value) {
  const notes = new Set();
  const json = stringify(value, (key, item) => plain(item, notes));
  return { json, note: notes.size > 0 ? [...notes].join(' ') : undefined };
}

/** Replaces what `JSON.stringify` would lose or refuse by something that it keeps. */
function plain(item, notes) {
  if (typeof item === 'bigint') {
    if (isSafeInteger(Number(item))) return Number(item);
    notes.add('Integers beyond 2**53 are shown as text.');
    return String(item);
  }
  if (typeof item !== 'object' || item === null) return item;
  if (item instanceof Error) return plainError(item);
  if (item instanceof Map) return plainMap(item);
  if (item instanceof Set) return [...item];
  if (item instanceof ArrayBuffer) return [...new Uint8Array(item)];
  if (ArrayBuffer.isView(item))
    return item instanceof DataView ? [...new Uint8Array(item.buffer)] : [...item];
  return item;
}

/** Adds name, message and causes, because `JSON.stringify` keeps only properties that were added to an error. */
function plainError(error) {
  const { name, message, cause, errors } = error;
  return {
    name,
    message: isImportFailure(error) ? describeImportFailure() : message,
    ...(cause !== undefined && { cause }),
    ...(errors !== undefined && { errors }),
    ...error,
  };
}

function plainMap(map) {
  const isRecord = [...map.keys()].every((key) => typeof key === 'string' || typeof key === 'number');
  return isRecord ? Object.fromEntries(map) : [...map];
}
