import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { DenoSandbox } from './deno-sandbox.js';

const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const pictureOf = (mimeType: string, bytes: Buffer) => ({
  type: 'image',
  mimeType,
  data: bytes.toString('base64'),
});
/** What each program begins with: a PNG of so many bytes; the one at the end says which it is. */
const helpers = `const png = (length: number, mark = 0) => {
  const bytes = new Uint8Array(length);
  bytes.set([0x89, 80, 78, 71, 13, 10, 26, 10]);
  bytes[length - 1] = mark;
  return bytes;
};
`;

describe.each(isolationsUnderTest())('Pictures of a program (%s)', (isolation) => {
  let sandbox: DenoSandbox;
  beforeAll(() => {
    sandbox = new DenoSandbox({ isolation });
  });
  afterAll(() => sandbox.close());

  const run = (code: string) =>
    sandbox.execute({
      code: helpers + code,
      timeoutMs: 20_000,
      permissions: noPermissions,
      tools: fakeToolSource({}),
    });

  test.each<[string, string, string, Buffer]>([
    ['PNG bytes', 'png(9, 7)', 'image/png', Buffer.concat([png, Buffer.of(7)])],
    ['a buffer', 'png(9, 7).buffer', 'image/png', Buffer.concat([png, Buffer.of(7)])],
    ['a Blob, by its bytes', 'new Blob([png(9, 7)])', 'image/png', Buffer.concat([png, Buffer.of(7)])],
    ['JPEG', 'Uint8Array.of(0xff, 0xd8, 0xff, 1)', 'image/jpeg', Buffer.of(0xff, 0xd8, 0xff, 1)],
    ['GIF', 'new TextEncoder().encode("GIF89a")', 'image/gif', Buffer.from('GIF89a')],
    ['WebP', 'new TextEncoder().encode("RIFF____WEBPVP8 ")', 'image/webp', Buffer.from('RIFF____WEBPVP8 ')],
    [
      'a Blob of SVG',
      'new Blob(["<svg/>"], { type: "image/svg+xml;charset=utf-8" })',
      'image/svg+xml',
      Buffer.from('<svg/>'),
    ],
  ])('may be %s, shown or returned', async (_what, value, mimeType, bytes) => {
    const content = [pictureOf(mimeType, bytes)];
    const shown = await run(`await display(${value}); return 1`);
    expect(shown).toMatchObject({ status: 'succeeded', stdout: '', value: 1, content });
    expect(await run(`export default ${value}`)).toMatchObject({
      status: 'succeeded',
      value: null,
      valueNote: `The value is a picture (${mimeType}), shown beside this.`,
      content,
    });
  });

  test.each([
    '<svg/>',
    '<?xml version="1.0"?>\n<!DOCTYPE svg>\n<svg xmlns="http://www.w3.org/2000/svg"></svg>',
  ])('may be text of SVG where it is shown; returned it is text: %s', async (svg) => {
    expect(await run(`const svg = ${JSON.stringify(svg)}; await display(svg); return svg`)).toMatchObject({
      value: svg,
      content: [pictureOf('image/svg+xml', Buffer.from(svg))],
    });
  });

  test('are nothing else: that is printed, in its turn', async () => {
    const code = `console.log(1); display({ a: [2] }); display("<p>3</p>"); display(Uint8Array.of(4)); console.log(5);
await display(new Blob(["RIFF____WAVE"], { type: "audio/wav" }));`;
    const result = await run(code);
    expect(result).toMatchObject({
      status: 'succeeded',
      stdout: '1\n{ a: [ 2 ] }\n<p>3</p>\nUint8Array(1) [ 4 ]\n5\nBlob { size: 12, type: "audio/wav" }\n',
    });
    expect(result).not.toHaveProperty('content');
  });

  test('come in the order in which they are shown, also at once, large or never awaited', async () => {
    const code = `display(new Blob([png(2_000_000, 1)]));
const reused = png(2_000_000, 2);
display(reused);
reused.fill(0);
display(png(10, 3));
setTimeout(() => display(png(10, 4)), 20);
return "done"`;
    const { content = [], value } = await run(code);
    expect(value).toBe('done');
    const pictures = content.map(({ data }) => Buffer.from(data as string, 'base64'));
    expect(pictures.map((bytes) => [bytes.length, bytes.at(-1)])).toEqual([
      [2_000_000, 1],
      [2_000_000, 2],
      [10, 3],
      [10, 4],
    ]);
    for (const bytes of pictures) expect(bytes.subarray(0, 8)).toEqual(png);
  });

  test.each([
    ['a picture of 5 MB', 'await display(png(5 << 20));', 'resource_exhausted', 'A picture has at most 4 MB'],
    [
      'the 17th picture',
      'for (let i = 0; i < 17; i++) await display(png(9));',
      'resource_exhausted',
      'A program shows at most 16 pictures.',
    ],
    [
      'what is said to be one',
      'await display(new Blob(["x"], { type: "image/png" }));',
      'invalid_argument',
      'What is to be shown as image/png is none.',
    ],
  ])('that are too much are an error to catch: %s', async (_what, code, errorCode, message) => {
    const caught = await run(
      `try { ${code} } catch (e) { return [e instanceof RangeError, e.code, e.message] }`,
    );
    expect(caught.value).toEqual([true, errorCode, expect.stringContaining(message)]);
  });

  test('that are too large fail the run as its value, and are a line on stderr if nobody awaits them', async () => {
    const returned = await run('return png(5 << 20)');
    expect(returned).toMatchObject({ status: 'failed', error: { code: 'user_error' } });
    expect(returned.error?.message).toContain('RangeError: A picture has at most 4 MB');
    const shown = await run('display(png(5 << 20)); return 1');
    expect(shown).toMatchObject({ status: 'succeeded', value: 1 });
    expect(shown.stderr).toContain('RangeError: A picture has at most 4 MB');
  });
});
