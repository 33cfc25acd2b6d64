import { HostError } from '@code-executor/deno-runtime/assets/channel.js';

// Taken before the program runs: every program's value is looked at with these.
const { ArrayBuffer, Blob, Uint8Array } = globalThis;
const { fromCharCode } = String;
const { log } = console;
const encoder = new TextEncoder();
/** A frame of the pipe is at most a mebibyte, and base64 makes four bytes of three. */
const partBytes = 720 * 1024;
const svgType = 'image/svg+xml';
/** An SVG document: its root element, after what may stand before that. */
const svgText = /^\s*(?:<[?!][^>]*>\s*)*<svg[\s/>]/;
/** What the files of each kind begin with. */
const beginnings = new Map([
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
]);
const beginningBytes = 12;

/** The pictures that one program shows. */
export class Pictures {
  #channel;
  #lastId = 0;

  constructor(channel) {
    this.#channel = channel;
  }

  /** The global: shows a picture, or prints what is none. Rejects with a `RangeError` when the server takes no more. */
  display = async (value) => {
    const id = ++this.#lastId;
    const found = svgOf(value) ?? pictureOf(value);
    // What is no promise is printed at once, in the order of the program.
    const picture = found instanceof Promise ? await found : found;
    if (picture) await this.#send(id, picture);
    else log(value);
  };

  /** Shows the program's value, if it is a picture; resolves with its MIME type, or undefined. */
  async showValue(value) {
    const picture = await pictureOf(value);
    if (picture) await this.#send(++this.#lastId, picture);
    return picture?.mimeType;
  }

  /** In parts, each after the last was taken; parts of other pictures may come between. */
  async #send(id, { mimeType, bytes }) {
    for (let start = 0; start === 0 || start < bytes.length; start += partBytes) {
      const end = start + partBytes;
      const part = bytes.subarray(start, end).toBase64();
      await this.#ask({ id, mimeType, part, isLast: end >= bytes.length });
    }
  }

  async #ask(params) {
    try {
      await this.#channel.request('display', params);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      throw Object.assign(new RangeError(error.message), { code: error.fields.code });
    }
  }
}

function svgOf(value) {
  const isSvg = typeof value === 'string' && svgText.test(value);
  return isSvg ? { mimeType: svgType, bytes: encoder.encode(value) } : undefined;
}

/** A value as a picture, `{ mimeType, bytes }`; undefined if it is none. Of a Blob, a promise of that. */
function pictureOf(value) {
  if (value instanceof Blob) return pictureOfBlob(value);
  const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : value;
  const mimeType = bytes instanceof Uint8Array ? typeOf(bytes) : undefined;
  // A copy: the program may go on to use its own.
  return mimeType && { mimeType, bytes: new Uint8Array(bytes) };
}

async function pictureOfBlob(blob) {
  const beginning = new Uint8Array(await blob.slice(0, beginningBytes).arrayBuffer());
  const named = blob.type.split(';')[0];
  const mimeType = typeOf(beginning) ?? (named === svgType || beginnings.has(named) ? named : undefined);
  return mimeType && { mimeType, bytes: new Uint8Array(await blob.arrayBuffer()) };
}

function typeOf(bytes) {
  const beginning = fromCharCode(...bytes.subarray(0, beginningBytes));
  for (const [mimeType, pattern] of beginnings) if (pattern.test(beginning)) return mimeType;
  return undefined;
}
