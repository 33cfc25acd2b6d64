import type { JsonValue } from '@code-executor/contracts';
import { describe, expect, test } from '@jest/globals';

import { takePictures } from './returned-pictures.js';

const picture = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };
const place = { type: 'image', mimeType: 'image/png', bytes: 8 };
const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64');
const text = { type: 'text', text: 'a' };

describe('takePictures', () => {
  test.each<[string, JsonValue, JsonValue, number]>([
    ['the value itself', picture, place, 1],
    ['elements of it', [text, picture, 1, picture], [text, place, 1, place], 2],
    ['elements of its content', { a: 1, content: [picture, text] }, { a: 1, content: [place, text] }, 1],
  ])('finds %s', (_name, value, left, count) => {
    const before = JSON.stringify(value);
    expect(takePictures(value, 16)).toEqual({
      value: left,
      pictures: Array.from({ length: count }, () => picture),
    });
    expect(JSON.stringify(value)).toBe(before);
  });

  test.each<[string, JsonValue]>([
    ['null', null],
    ['text', 'image'],
    ['deeper ones', [[picture]]],
    ['those of other fields', { pictures: [picture] }],
    ['another type', { ...picture, type: 'audio' }],
    ['data that is no text', { ...picture, data: 7 }],
    ['no data', { ...picture, data: '' }],
    ['no type of data', { type: 'image', data: picture.data }],
    ['HTML', { ...picture, mimeType: 'text/html;charset=utf-8', data: base64('<script>alert(1)</script>') }],
    ['HTML that claims to be a picture', { ...picture, data: base64('<script>alert(1)</script>') }],
    ['SVG', { ...picture, mimeType: 'image/svg+xml', data: base64('<svg onload="alert(1)"/>') }],
    ['data that is no base64', { ...picture, data: 'not base64!' }],
    ['base64 for addresses', { ...picture, data: '_9j_' }],
    ['base64 with line ends', { ...picture, data: 'iVBO\nRw0KGgo=' }],
  ])('leaves %s as it is', (_name, value) => {
    expect(takePictures(value, 16)).toEqual({ value, pictures: [] });
  });

  test('decides the type of a picture by its bytes, whatever it claims to be', () => {
    const { value, pictures } = takePictures({ ...picture, mimeType: 'text/html' }, 16);
    expect(value).toEqual(place);
    expect(pictures).toEqual([picture]);
  });

  test('takes no more pictures than allowed', () => {
    const { value, pictures } = takePictures([picture, picture, picture], 2);
    expect(value).toEqual([place, place, picture]);
    expect(pictures).toHaveLength(2);
  });

  test('takes only the fields of a picture', () => {
    const { pictures } = takePictures({ ...picture, annotations: 7, _meta: [] }, 16);
    expect(pictures).toEqual([picture]);
  });

  test('does not let a key of the value reach its prototype', () => {
    const value = JSON.parse('{"__proto__":{"a":1},"content":[]}') as JsonValue;
    expect(JSON.stringify(takePictures(value, 16).value)).toBe('{"__proto__":{"a":1},"content":[]}');
  });
});
