import { describe, expect, test } from '@jest/globals';

import { countJsonBytes } from './json-bytes.js';

describe('countJsonBytes', () => {
  test.each([
    [null],
    [true],
    [-1.5],
    [''],
    ['grüß 🎈 "quoted" \n\u0000'],
    [[]],
    [[1, [2, ['x']]]],
    [{}],
    [{ a: 1, 'ä"': [null, { b: 'c' }], gone: undefined }],
    [{ content: [{ type: 'text', text: '{"a":1}' }], isError: false }],
  ])('counts %j as JSON.stringify writes it', (value) => {
    expect(countJsonBytes(value, 1e6)).toBe(Buffer.byteLength(JSON.stringify(value)));
  });

  test('is larger than the limit for every larger value, without reading all of it', () => {
    let looked = 0;
    const rest = new Proxy({}, { ownKeys: () => (looked++, []) });
    expect(countJsonBytes([rest, 'x'.repeat(1000)], 100)).toBeGreaterThan(100);
    expect(looked).toBe(0);
  });

  test('does not overflow on a value nested 200,000 deep', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 200_000; i++) deep = [deep];
    expect(countJsonBytes(deep, 1e6)).toBe(400_001);
  });
});
