import {
  CodeExecutorError,
  type ContentBlock,
  type JsonObject,
  pictureTypeOf,
  pictureTypes,
} from '@code-executor/contracts';

const maxPictures = 16;
/**
 * The size of all pictures of a program, in bytes. They go to the client in one message, as Base64, and clients accept
 * only a few megabytes: those based on the TypeScript SDK end the session at a line of 10 MB.
 */
const maxBytes = 4 * 1024 * 1024;
/** The number of parts of one picture, 720 KiB each. Many tiny parts would take more memory than their content. */
const maxParts = Math.ceil(maxBytes / (720 * 1024));

interface ShownPicture {
  mimeType: string;
  parts: Buffer[];
  bytes: number;
  isWhole: boolean;
}

/**
 * Collects the pictures that one program shows. They come in parts, and the parts of several pictures may be
 * interleaved: `id` says which picture a part belongs to, and counts up in the order in which they were shown.
 */
export class ShownPictures {
  readonly #pictures = new Map<number, ShownPicture>();

  /** The complete pictures, in order. */
  get content(): ContentBlock[] {
    return [...this.#pictures]
      .filter(([, { isWhole }]) => isWhole)
      .sort(([a], [b]) => a - b)
      .map(([, { mimeType, parts }]) => ({
        type: 'image',
        mimeType,
        data: Buffer.concat(parts).toString('base64'),
      }));
  }

  /**
   * Takes one part; a picture that gets too large is forgotten.
   *
   * @throws CodeExecutorError `invalid_argument` if this is not a part of a picture, `resource_exhausted` for too much.
   */
  take({ id, mimeType, part, isLast }: JsonObject): void {
    if (!Number.isSafeInteger(id) || typeof mimeType !== 'string' || typeof part !== 'string') {
      throw new CodeExecutorError(
        'invalid_argument',
        'A part of a picture has id, mimeType, part and isLast.',
      );
    }
    const bytes = Buffer.from(part, 'base64');
    const number = id as number;
    const picture = this.#pictures.get(number) ?? this.#begin(number, mimeType, bytes);
    if (picture.isWhole) {
      throw new CodeExecutorError('invalid_argument', `Picture ${number} is already complete.`);
    }
    picture.parts.push(bytes);
    picture.bytes += bytes.length;
    picture.isWhole = isLast === true;
    const all = [...this.#pictures.values()].reduce((sum, one) => sum + one.bytes, 0);
    if (picture.parts.length <= maxParts && all <= maxBytes) return;
    this.#pictures.delete(number);
    throw new CodeExecutorError(
      'resource_exhausted',
      `The pictures of a program have at most ${maxBytes / 1024 / 1024} MB together; show fewer or smaller ones.`,
    );
  }

  #begin(id: number, mimeType: string, bytes: Buffer): ShownPicture {
    if (!pictureTypes.includes(mimeType)) {
      throw new CodeExecutorError(
        'invalid_argument',
        `display() shows ${pictureTypes.join(', ')}; not ${mimeType.slice(0, 100)}.`,
      );
    }
    if (pictureTypeOf(bytes) !== mimeType) {
      throw new CodeExecutorError(
        'invalid_argument',
        `The data to be shown as ${mimeType} is not ${mimeType}.`,
      );
    }
    if (this.#pictures.size >= maxPictures) {
      throw new CodeExecutorError('resource_exhausted', `A program shows at most ${maxPictures} pictures.`);
    }
    const picture = { mimeType, parts: [], bytes: 0, isWhole: false };
    this.#pictures.set(id, picture);
    return picture;
  }
}
