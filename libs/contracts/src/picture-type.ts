/** How files of each type begin. Others are not shown, because a client may refuse a whole answer for an invalid picture. */
const beginnings = new Map([
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
]);
const beginningBytes = 12;

/** The MIME types of pictures that a model can be shown. */
export const pictureTypes: readonly string[] = [...beginnings.keys()];

/** The MIME type of a picture, read from its first bytes alone; undefined for anything else. */
export function pictureTypeOf(bytes: Uint8Array): string | undefined {
  const beginning = String.fromCharCode(...bytes.subarray(0, beginningBytes));
  return pictureTypes.find((type) => beginnings.get(type)?.test(beginning));
}
