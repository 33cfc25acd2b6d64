import { describe, expect, test } from '@jest/globals';

import { JsonMeter, meterJson } from './json-meter.js';

describe('JsonMeter', () => {
  test.each<[text: string, cost: number, depth: number]>([
    ['', 0, 0],
    ['1', 1, 0],
    ['{}', 2 + 64, 1],
    ['[1,2,3]', 7 + 64 + 2 * 8, 1],
    ['{"a":1,"b":[]}', 14 + 4 * 64 + 8, 2],
    ['[[[]],[]]', 9 + 4 * 64 + 8, 3],
    ['"{[:,"', 6, 0],
    [String.raw`"\"{[" `, 7, 0],
    [String.raw`["\\",{}]`, 9 + 2 * 64 + 8, 2],
    ['"ü"', 4, 0],
  ])('computes cost and depth of %j', (text, cost, depth) => {
    const whole = meterJson(text);
    expect([whole.cost, whole.depth]).toEqual([cost, depth]);
    const bytewise = new JsonMeter();
    for (const byte of Buffer.from(text)) bytewise.add(Buffer.of(byte));
    expect([bytewise.cost, bytewise.depth]).toEqual([cost, depth]);
  });

  test('counts at least the memory that the densest texts take once parsed', () => {
    for (const item of ['{}', '[]', '1', '{"a":{}}', '[{"a":[{}]}]']) {
      const text = `[${Array.from({ length: 50_000 }, () => item).join(',')}]`;
      const before = process.memoryUsage().heapUsed;
      const value: unknown = JSON.parse(text);
      const taken = process.memoryUsage().heapUsed - before;
      expect(value).toHaveLength(50_000);
      // It may also be less, because the garbage collector may run in between.
      expect(taken).toBeLessThan(meterJson(text).cost * 1.5 + 1_000_000);
    }
  });

  test('counts less than four times the length of the text for a table', () => {
    const rows = Array.from({ length: 1000 }, (_, id) => ({
      id,
      name: `Customer number ${id}`,
      address: 'Unter den Linden 1, 10117 Berlin',
      created: '2026-01-01T00:00:00Z',
    }));
    const text = JSON.stringify(rows);
    expect(meterJson(text).cost / text.length).toBeLessThan(4);
  });
});
