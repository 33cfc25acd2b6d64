import { HostError } from '@code-executor/sandbox-channel/assets/channel.js';
import { SvgDrawer } from '@code-executor/sandbox-channel/assets/svg-drawer.js';

import { isBlock, isBytes, isSvgText, noPicture, pictureOf, svgType } from './picture-of.js';

// Saved before the program runs, because it can replace globals.
const { Blob, TextDecoder } = globalThis;
const { log } = console;
const decoder = new TextDecoder();
/** A frame has at most 1 MiB, and base64 turns three bytes into four. */
const partBytes = 720 * 1024;

/** The pictures that one program shows. */
export class Pictures {
  #channel;
  #drawer;
  #lastId = 0;

  constructor(channel) {
    this.#channel = channel;
    this.#drawer = new SvgDrawer(channel);
  }

  /**
   * The global `display()`: shows a picture, and prints any other value. Rejects with a `RangeError` if bytes are
   * not a picture, or if the server accepts no more pictures.
   */
  display = async (value, mimeType) => {
    const id = ++this.#lastId;
    const found = pictureOf(value, mimeType ?? (isSvgText(value) ? svgType : undefined));
    // Without an `await` for other values, because they are printed at once, in the order of the program.
    const picture = found instanceof Promise ? await found : found;
    if (picture) await this.#show(id, picture);
    else if (isBytes(value) || value instanceof Blob) throw noPicture('These bytes are no picture.');
    else log(value);
  };

  /** Shows the program's value, if it is a picture; resolves with its MIME type, or undefined. */
  async showValue(value) {
    // The server finds image blocks in values by itself, but it cannot draw an SVG.
    if (isBlock(Object(value)) && value.mimeType !== svgType) return undefined;
    const picture = await pictureOrNone(value);
    if (picture) await this.#show(++this.#lastId, picture);
    return picture?.mimeType;
  }

  /** Sends the picture in parts, one after the other. Parts of other pictures may come between them. */
  async #show(id, { mimeType, bytes }) {
    if (mimeType === svgType) return this.#show(id, await this.#drawn(bytes));
    for (let start = 0; start === 0 || start < bytes.length; start += partBytes) {
      const end = start + partBytes;
      const part = bytes.subarray(start, end).toBase64();
      await orRangeError(
        this.#channel.request('display', { id, mimeType, part, isLast: end >= bytes.length }),
      );
    }
  }

  /** Converts an SVG to PNG, because clients do not show SVG to a model. */
  async #drawn(svg) {
    return { mimeType: 'image/png', bytes: await orRangeError(this.#drawer.draw(decoder.decode(svg))) };
  }
}

/** Undefined for a value that only looks like a picture; it stays an ordinary value. */
async function pictureOrNone(value) {
  try {
    return await pictureOf(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

async function orRangeError(result) {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw Object.assign(new RangeError(error.message), { code: error.fields.code });
  }
}
