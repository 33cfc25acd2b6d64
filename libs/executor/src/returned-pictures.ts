import type { ContentBlock, JsonValue } from '@code-executor/contracts';

/** An image block as MCP has it. */
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
 * What is no base64, or comes after `maxPictures`, stays as it is.
 */
export function takePictures(value: JsonValue, maxPictures: number): TakenPictures {
  const pictures: Picture[] = [];
  const take = (item: JsonValue): JsonValue => {
    if (pictures.length >= maxPictures || !isPicture(item) || !isBase64(item.data)) return item;
    // Nothing else of the block: a client may refuse the whole result over a field that is not as MCP has it.
    const picture: Picture = { type: 'image', data: item.data, mimeType: item.mimeType };
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

function isBase64(data: string): boolean {
  return data !== '' && Buffer.from(data, 'base64').toString('base64') === data;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
