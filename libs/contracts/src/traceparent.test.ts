import { describe, expect, test } from '@jest/globals';

import { formatTraceparent, newTraceParent, parseTraceparent } from './traceparent.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('traceparent', () => {
  test('is read and written', () => {
    const parent = parseTraceparent(`00-${traceId}-${spanId}-01`);
    expect(parent).toEqual({ traceId, spanId, traceFlags: 1 });
    expect(parent && formatTraceparent(parent)).toBe(`00-${traceId}-${spanId}-01`);
  });

  test('of a later version is read as far as version 00 goes', () => {
    expect(parseTraceparent(`cc-${traceId}-${spanId}-03-more`)).toEqual({ traceId, spanId, traceFlags: 1 });
  });

  test('of a new trace can be read, and is different each time', () => {
    const parents = Array.from({ length: 100 }, newTraceParent);
    expect(parents.map((parent) => parseTraceparent(formatTraceparent(parent)))).toEqual(parents);
    expect(new Set(parents.map((parent) => parent.traceId)).size).toBe(100);
  });

  test.each([
    undefined,
    7,
    '',
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-1`,
    `00-${traceId}-${spanId}-01x`,
    ` 00-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-${'x'.repeat(300)}`,
  ])('that is invalid is not read: %s', (value) => {
    expect(parseTraceparent(value)).toBeUndefined();
  });
});
