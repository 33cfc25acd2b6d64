import { describe, expect, test } from '@jest/globals';

import type { JsonObject } from '@code-executor/contracts';

import { svgRenderer } from './svg-renderer.js';

const ask = (params: JsonObject) => svgRenderer.answer(params, {} as never, AbortSignal.timeout(10_000));

describe('The files of the SVG renderer', () => {
  test('are sent in parts that fit into a frame', async () => {
    const { part, isLast } = (await ask({ file: 'wasm', start: 0 })) as { part: string; isLast: boolean };
    expect(Buffer.from(part, 'base64').subarray(0, 4).toString('latin1')).toBe('\0asm');
    expect(Buffer.byteLength(part)).toBe(960 * 1024);
    expect(isLast).toBe(false);
    expect(await ask({ file: 'wasm', start: 2 ** 40 })).toEqual({ part: '', isLast: true });
  });

  test.each<JsonObject>([
    { file: '../package.json', start: 0 },
    { file: '__proto__', start: 0 },
    { file: ['wasm'], start: 0 },
    { start: 0 },
    { file: 'wasm' },
    { file: 'wasm', start: -1 },
    { file: 'wasm', start: 0.5 },
  ])('do not include %j', async (params) => {
    await expect(ask(params)).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
