// Saved before the program runs, because it can replace globals, and these read the value of every program.
const { ArrayBuffer, Blob, Uint8Array, TextEncoder, decodeURIComponent } = globalThis;
const { fromCharCode } = String;
const encoder = new TextEncoder();
export const svgType = 'image/svg+xml';
/** Matches an SVG document: its root element, after comments and declarations. */
const svgText = /^\uFEFF?\s*(?:<(?:!--(?:[^-]|-(?!-))*--|[?!](?!--)(?:[^>[]|\[[^\]]*\])*)>\s*)*<svg[\s/>]/;
/** The first bytes of the files of each type. */
const beginnings = new Map([
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
]);
/** How much of a file is read to find its type: enough for an SVG that begins with a long comment. */
const beginningBytes = 4096;
const dataUrl = /^data:(image\/[\w.+-]+)(?:;(?!base64,)[\w.=-]+)*(;base64)?,/;
/** Matches text that is only the base64 of a PNG, JPEG, GIF or WebP file. */
const pictureInBase64 = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)[A-Za-z0-9+/\s]{40,}={0,2}\s*$/;

/** The error for a value that should be a picture and is not. */
export function noPicture(problem) {
  const message = `${problem} PNG, JPEG, GIF, WebP and SVG can be shown.`;
  return Object.assign(new RangeError(message), { code: 'invalid_argument' });
}

/**
 * Returns a value as a picture, `{ mimeType, bytes }`, or undefined if it is not one; for a Blob, a promise of that.
 * Throws a `RangeError` if a type is given but the bytes are not a picture.
 *
 * @param mimeType The type according to the program; the bytes decide.
 */
export function pictureOf(value, mimeType) {
  if (typeof value === 'string') return pictureOfText(value, mimeType);
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof Blob) return pictureOfBlob(value, mimeType);
  if (isBytes(value)) return pictureOfBytes(bytesOf(value), mimeType);
  return isBlock(value) ? pictureOf(value.data, value.mimeType) : undefined;
}

export function isBytes(value) {
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

export function isSvgText(value) {
  return typeof value === 'string' && svgText.test(value.slice(0, beginningBytes));
}

/** Whether it is an image block of MCP, or an object with the same fields that holds bytes. */
export function isBlock({ mimeType, data }) {
  const isImage = typeof mimeType === 'string' && mimeType.startsWith('image/');
  return isImage && (typeof data === 'string' || isBytes(Object(data)));
}

/** Copies the bytes, because the program may change its own afterwards. */
function bytesOf(value) {
  if (value instanceof ArrayBuffer) return new Uint8Array(value.slice());
  return new Uint8Array(value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength));
}

function pictureOfText(text, mimeType) {
  const [head, type, isBase64] = dataUrl.exec(text.slice(0, 200)) ?? [];
  if (head !== undefined) {
    const data = text.slice(head.length);
    return pictureOfBytes(isBase64 ? fromBase64(data, type) : fromUrl(data, type), type);
  }
  if (mimeType === undefined) {
    return pictureInBase64.test(text) ? pictureOfBytes(fromBase64(text)) : undefined;
  }
  return isSvgText(text)
    ? { mimeType: svgType, bytes: encoder.encode(text) }
    : pictureOfBytes(fromBase64(text, mimeType), mimeType);
}

function fromBase64(text, mimeType = 'a picture') {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    throw noPicture(`The text that is to be shown as ${mimeType} is not base64.`);
  }
}

function fromUrl(text, mimeType) {
  try {
    return encoder.encode(decodeURIComponent(text));
  } catch {
    throw noPicture(`The URL that is to be shown as ${mimeType} is not encoded as URLs are.`);
  }
}

async function pictureOfBlob(blob, mimeType = blob.type.split(';')[0]) {
  const beginning = new Uint8Array(await blob.slice(0, beginningBytes).arrayBuffer());
  const isClaimed = mimeType.startsWith('image/');
  // Only the beginning was read so far, so a large file of another type is never read as a whole.
  if (!isClaimed && !typeOf(beginning)) return undefined;
  return pictureOfBytes(new Uint8Array(await blob.arrayBuffer()), isClaimed ? mimeType : undefined);
}

function pictureOfBytes(bytes, claimed) {
  const mimeType = typeOf(bytes);
  if (mimeType !== undefined) return { mimeType, bytes };
  if (claimed === undefined) return undefined;
  const first = bytes
    .subarray(0, 8)
    .toHex()
    .replace(/..(?!$)/g, '$& ');
  throw noPicture(`What is to be shown as ${claimed} is no picture: it begins with the bytes ${first}.`);
}

function typeOf(bytes) {
  const beginning = fromCharCode(...bytes.subarray(0, beginningBytes));
  for (const [mimeType, pattern] of beginnings) if (pattern.test(beginning)) return mimeType;
  return svgText.test(beginning.replace(/^\xef\xbb\xbf/, '')) ? svgType : undefined;
}
