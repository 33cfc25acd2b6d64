// Taken before the program runs: every program's value is looked at with these.
const { ArrayBuffer, Blob, Uint8Array, TextEncoder, decodeURIComponent } = globalThis;
const { fromCharCode } = String;
const encoder = new TextEncoder();
export const svgType = 'image/svg+xml';
/** An SVG document: its root element, after comments and declarations. */
const svgText = /^\uFEFF?\s*(?:<(?:!--(?:[^-]|-(?!-))*--|[?!](?!--)(?:[^>[]|\[[^\]]*\])*)>\s*)*<svg[\s/>]/;
/** What the files of each kind begin with. */
const beginnings = new Map([
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
]);
/** Enough of a file to tell its kind; of SVG, a root element after a long comment. */
const beginningBytes = 4096;
const dataUrl = /^data:(image\/[\w.+-]+)(?:;(?!base64,)[\w.=-]+)*(;base64)?,/;
/** Text that is nothing but base64 of a PNG, JPEG, GIF or WebP file. */
const pictureInBase64 = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)[A-Za-z0-9+/\s]{40,}={0,2}\s*$/;

/** What the program shows is not a picture, although it is said to be one. */
export function noPicture(problem) {
  const message = `${problem} PNG, JPEG, GIF, WebP and SVG can be shown.`;
  return Object.assign(new RangeError(message), { code: 'invalid_argument' });
}

/**
 * A value as a picture, `{ mimeType, bytes }`, or undefined if it is none; of a Blob, a promise of that. Throws
 * a `RangeError` where a type is given and the bytes are those of no picture.
 *
 * @param mimeType What the program says that it is; the bytes decide.
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

/** An image block of MCP, or what has the same fields with bytes in them. */
export function isBlock({ mimeType, data }) {
  const isImage = typeof mimeType === 'string' && mimeType.startsWith('image/');
  return isImage && (typeof data === 'string' || isBytes(Object(data)));
}

/** A copy: the program may go on to use its own. */
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
  // Nobody reads a large file that is no picture.
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
