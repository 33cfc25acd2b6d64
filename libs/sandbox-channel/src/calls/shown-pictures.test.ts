import { beforeEach, describe, expect, test } from '@jest/globals';

import { CodeExecutorError } from '@code-executor/contracts';

import { ShownPictures } from './shown-pictures.js';

const kilobyte = 1024;
const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const ofBytes = (length: number) => Buffer.concat([png, Buffer.alloc(length - png.length)]);

describe('ShownPictures', () => {
  let pictures: ShownPictures;
  beforeEach(() => {
    pictures = new ShownPictures();
  });

  const send = (id: unknown, part: Buffer, isLast: unknown = true, mimeType: unknown = 'image/png') => {
    const params = { id, mimeType, part: part.toString('base64'), isLast };
    try {
      pictures.take(params as never);
      return null;
    } catch (error) {
      return CodeExecutorError.from(error).code;
    }
  };
  const shown = () => pictures.content.map(({ data }) => Buffer.from(data as string, 'base64'));

  test('joins the parts of a picture', () => {
    expect(send(1, png, false)).toBeNull();
    expect(shown()).toEqual([]);
    expect(send(1, Buffer.from('rest'))).toBeNull();
    const data = Buffer.concat([png, Buffer.from('rest')]).toString('base64');
    expect(pictures.content).toEqual([{ type: 'image', mimeType: 'image/png', data }]);
  });

  test('sorts pictures by their ids, even if their parts arrive interleaved', () => {
    send(2, png, false);
    send(1, png, false);
    send(2, Buffer.from('two'));
    send(1, Buffer.from('one'));
    expect(shown().map((bytes) => bytes.toString('latin1', 8))).toEqual(['one', 'two']);
  });

  test.each([
    ['image/png', '\x89PNG\r\n\x1a\n'],
    ['image/jpeg', '\xff\xd8\xff\xe0'],
    ['image/gif', 'GIF89a'],
    ['image/webp', 'RIFF\n\n\n\nWEBPVP8 '],
  ])('accepts %s', (mimeType, text) => {
    expect(send(1, Buffer.from(text, 'latin1'), true, mimeType)).toBeNull();
    expect(pictures.content).toMatchObject([{ mimeType }]);
  });

  test.each<[string, unknown, Buffer, unknown]>([
    ['another type', 1, png, 'text/html'],
    ['SVG, which the sandbox draws', 1, Buffer.from('<svg/>'), 'image/svg+xml'],
    ['the name of an object property as type', 1, png, '__proto__'],
    ['no type', 1, png, null],
    ['no id', undefined, png, 'image/png'],
    ['an id that is not a whole number', 1.5, png, 'image/png'],
    ['bytes of another type', 1, png, 'image/jpeg'],
    ['sound', 1, Buffer.from('RIFF\0\0\0\0WAVEfmt '), 'image/webp'],
    ['an empty picture', 1, Buffer.alloc(0), 'image/png'],
  ])('refuses %s', (_what, id, part, mimeType) => {
    expect(send(id, part, true, mimeType)).toBe('invalid_argument');
    expect(shown()).toEqual([]);
  });

  test('refuses parts after the last part of a picture', () => {
    send(1, png);
    expect(send(1, png)).toBe('invalid_argument');
    expect(shown()).toEqual([png]);
  });

  test('accepts at most 16 pictures, including unfinished ones', () => {
    for (let id = 1; id <= 15; id++) expect(send(id, png)).toBeNull();
    expect(send(16, png, false)).toBeNull();
    expect(send(17, png)).toBe('resource_exhausted');
    expect(send(16, png)).toBeNull();
    expect(shown()).toHaveLength(16);
  });

  test('accepts 4 MB for all pictures together, and forgets a picture that does not fit', () => {
    const part = ofBytes(700 * kilobyte);
    for (let count = 0; count < 2; count++) expect(send(1, part, count === 1)).toBeNull();
    for (let count = 0; count < 3; count++) expect(send(2, part, false)).toBeNull();
    expect(send(2, ofBytes(596 * kilobyte + 1))).toBe('resource_exhausted');
    // The forgotten picture does not count any more.
    expect(send(3, ofBytes(700 * kilobyte))).toBeNull();
    expect(send(4, ofBytes(700 * kilobyte))).toBeNull();
    expect(send(5, ofBytes(700 * kilobyte))).toBeNull();
    expect(send(6, ofBytes(596 * kilobyte))).toBeNull();
    expect(send(7, png)).toBe('resource_exhausted');
    expect(shown().reduce((sum, { length }) => sum + length, 0)).toBe(4096 * kilobyte);
  });

  test('limits the number of parts of a picture, however small they are', () => {
    send(1, png, false);
    for (let count = 0; count < 5; count++) expect(send(1, Buffer.alloc(0), false)).toBeNull();
    expect(send(1, Buffer.alloc(0), false)).toBe('resource_exhausted');
  });
});
