import { type ContentBlock, type JsonValue, pictureTypeOf } from '@code-executor/contracts';

/** An image block of MCP. */
export interface Picture extends ContentBlock {
  type: 'image';
  /** Base64. */
  data: string;
  mimeType: string;
}

export interface TakenPictures {
  /** The value, with `{ type: 'image', mimeType, bytes }` in the place of each picture that was taken. */
  value: JsonValue;
  pictures: Picture[];
}

/**
 * Takes the pictures out of a program's value, so that they travel as pictures and not as text. They are
 * looked for where tools put them: the value itself, an element of it, or an element of its `content`.
 * Their bytes decide their type, whatever the block claims. Anything that is not a picture in base64, or comes after
 * `maxPictures`, stays as it is.
 */
export function takePictures(value: JsonValue, maxPictures: number): TakenPictures {
  const pictures: Picture[] = [];
  const take = (item: JsonValue): JsonValue => {
    const mimeType = pictures.length < maxPictures && isPicture(item) && typeOf(item.data);
    if (!mimeType) return item;
    // Nothing else of the block, because a client may refuse the whole result for a field that MCP does not have.
    const picture: Picture = { type: 'image', data: item.data, mimeType };
    pictures.push(picture);
    return { type: 'image', ...describePicture(picture) };
  };
  if (Array.isArray(value)) return { value: value.map(take), pictures };
  if (isObject(value) && Array.isArray(value['content'])) {
    return { value: { ...value, content: value['content'].map(take) }, pictures };
  }
  return { value: take(value), pictures };
}

export function isPicture<T>(block: T): block is T & Picture {
  return (
    isObject(block) &&
    block['type'] === 'image' &&
    typeof block['data'] === 'string' &&
    typeof block['mimeType'] === 'string'
  );
}

export function describePicture({ mimeType, data }: Picture): { mimeType: string; bytes: number } {
  return { mimeType, bytes: Buffer.byteLength(data, 'base64') };
}

function typeOf(data: string): string | undefined {
  const bytes = Buffer.from(data, 'base64');
  return bytes.toString('base64') === data ? pictureTypeOf(bytes) : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
