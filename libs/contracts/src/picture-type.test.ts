import { describe, expect, test } from '@jest/globals';

import { pictureTypeOf, pictureTypes } from './picture-type.js';

describe('pictureTypeOf', () => {
  test.each([
    ['image/png', '\x89PNG\r\n\x1a\n'],
    ['image/jpeg', '\xff\xd8\xff\xe0'],
    ['image/gif', 'GIF89a'],
    ['image/webp', 'RIFF\x1a\x00\x00\x00WEBPVP8 '],
  ])('recognizes %s by its beginning', (type, beginning) => {
    expect(pictureTypeOf(Buffer.from(`${beginning}and more`, 'latin1'))).toBe(type);
    expect(pictureTypes).toContain(type);
  });

  test.each([
    ['nothing', ''],
    ['HTML', '<!doctype html>'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['a picture behind something else', ' \x89PNG\r\n\x1a\n'],
    ['the half of a beginning', '\x89PN'],
    ['a RIFF file of another kind', 'RIFF\x1a\x00\x00\x00WAVEfmt '],
  ])('does not recognize %s', (_what, beginning) => {
    expect(pictureTypeOf(Buffer.from(beginning, 'latin1'))).toBeUndefined();
  });
});
