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
/** A picture of one pixel, as base64. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const pixelBytes = Buffer.from(pixel, 'base64');
/** Width and height of a PNG. */
const sizeOf = (data: unknown) => {
  const bytes = Buffer.from(data as string, 'base64');
  expect(bytes.subarray(0, 8)).toEqual(png);
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
};
/** The start of each program: makes a PNG of `length` bytes, whose last byte tells it from others. */
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
    ['base64', JSON.stringify(pixel), 'image/png', pixelBytes],
    ['a data URL', JSON.stringify(`data:image/png;base64,${pixel}`), 'image/png', pixelBytes],
    [
      'bytes of one kind, said to be another',
      'new Blob(["GIF89a"], { type: "image/png" })',
      'image/gif',
      Buffer.from('GIF89a'),
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

  test('may be image blocks of MCP, or base64 with a type; the server handles a returned block', async () => {
    const block = { type: 'image', mimeType: 'image/png', data: pixel };
    const code = `const block = ${JSON.stringify(block)};
await display(block);
await display({ mimeType: 'image/png', data: png(9) });
await display(block.data, 'image/png');
return block`;
    expect(await run(code)).toMatchObject({
      value: block,
      content: [block, pictureOf('image/png', Buffer.concat([png, Buffer.of(0)])), block],
    });
  });

  test('of SVG are drawn as PNG, with text in a bundled font', async () => {
    const code = `const text = (words: string) => \`<svg width="300" height="60"><text y="40">\${words}</text></svg>\`;
await display(text(''));
await display(text('Total → 42'));
await display('<?xml version="1.0"?>\\n<!-- a --><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 20"/>');
await display(new TextEncoder().encode(text('')));
await display('data:image/svg+xml;utf8,' + encodeURIComponent(text('')));
await display({ type: 'image', mimeType: 'image/svg+xml', data: btoa(text('')) });
await display('<svg width="1e9" height="5e8"/>');
return new Blob([text('')], { type: 'image/svg+xml;charset=utf-8' });`;
    const { content = [], ...result } = await run(code);
    expect(result).toMatchObject({
      status: 'succeeded',
      value: null,
      valueNote: 'The value is a picture (image/svg+xml), shown beside this.',
    });
    expect(content.map(({ mimeType }) => mimeType)).toEqual(content.map(() => 'image/png'));
    const wide = [300, 60];
    expect(content.map(({ data }) => sizeOf(data))).toEqual([
      ...[wide, wide, [30, 20], wide, wide, wide, [2048, 1024], wide],
    ]);
    expect(content[1]?.['data']).not.toBe(content[0]?.['data']);
  });

  test.each([
    ['is not XML', '<svg width="9"><rect></svg>', "expected 'rect' tag, not 'svg'"],
    ['is empty', '<svg width="0" height="9"/>', 'invalid size'],
    [
      'multiplies itself by entities',
      `<!DOCTYPE svg [<!ENTITY a "${'x'.repeat(1000)}">\n<!ENTITY b "${'&a;'.repeat(1000)}">]><svg>&b;&b;</svg>`,
      'The SVG cannot be drawn: ',
    ],
    ['is nested too deep', `<svg>${'<g>'.repeat(5000)}${'</g>'.repeat(5000)}</svg>`, 'nodes limit reached'],
  ])('of SVG that %s throw an error, after which others can be drawn', async (_what, svg, message) => {
    const code = `let caught;
try { await display(${JSON.stringify(svg)}) } catch (e) { caught = [e instanceof RangeError, e.message] }
await display('<svg width="9" height="9"/>');
return caught`;
    const { value, content } = await run(code);
    expect(value).toEqual([true, expect.stringContaining(message)]);
    expect(sizeOf(content?.[0]?.['data'])).toEqual([9, 9]);
  });

  test('of SVG are drawn without the external resources that they refer to', async () => {
    const image = (href: string) => `<image href="${href}" width="9" height="9"/>`;
    const svg = (inside: string) => `<svg width="9" height="9">${inside}</svg>`;
    const code = [image('http://127.0.0.1:9/a.png'), image('file:///etc/hostname'), '']
      .map((inside) => `await display(${JSON.stringify(svg(inside))});`)
      .join('\n');
    const { status, content = [] } = await run(code);
    expect(status).toBe('succeeded');
    expect(new Set(content.map(({ data }) => data)).size).toBe(1);
    expect(content).toHaveLength(3);
  });

  test('returned as the text of an SVG stay text, with a note on how to show it', async () => {
    expect(await run('return "<svg/>"')).toMatchObject({
      value: '<svg/>',
      valueNote: 'The value is the text of an SVG; await display(svg) shows it as a picture.',
    });
  });

  test('are only what is a picture; other values are printed, in order', async () => {
    const code = `console.log(1); display({ a: [2] }); display("<p>3</p>"); display(4); console.log(5);
await display({ mimeType: 'image/png' });`;
    const result = await run(code);
    expect(result).toMatchObject({
      status: 'succeeded',
      stdout: '1\n{ a: [ 2 ] }\n<p>3</p>\n4\n5\n{ mimeType: "image/png" }\n',
    });
    expect(result).not.toHaveProperty('content');
  });

  test('arrive in the order of the calls, even if several are shown at once, are large or are not awaited', async () => {
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
    [
      'a picture of 5 MB',
      'await display(png(5 << 20));',
      'resource_exhausted',
      'The pictures of a program have at most 4 MB together',
    ],
    [
      'an SVG of 5 MB',
      'await display("<svg>" + " ".repeat(5 << 20) + "</svg>");',
      'resource_exhausted',
      'An SVG has at most 4194304 characters',
    ],
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
      'What is to be shown as image/png is no picture: it begins with the bytes 78. PNG, JPEG, GIF, WebP and SVG can be shown.',
    ],
    [
      'bytes that are not a picture',
      'await display(Uint8Array.of(4));',
      'invalid_argument',
      'These bytes are no picture.',
    ],
    [
      'a file of sound',
      'await display(new Blob(["RIFF____WAVE"], { type: "audio/wav" }));',
      'invalid_argument',
      'These bytes are no picture.',
    ],
    [
      'text that is no base64',
      'await display({ mimeType: "image/png", data: "no!" });',
      'invalid_argument',
      'The text that is to be shown as image/png is not base64.',
    ],
  ])(
    'throw an error if they are too large, too many or not a picture: %s',
    async (_what, code, errorCode, message) => {
      const caught = await run(
        `try { ${code} } catch (e) { return [e instanceof RangeError, e.code, e.message] }`,
      );
      expect(caught.value).toEqual([true, errorCode, expect.stringContaining(message)]);
    },
  );

  test('that are too large fail the run if they are its value, and print a line to stderr if they are not awaited', async () => {
    const returned = await run('return png(5 << 20)');
    expect(returned).toMatchObject({ status: 'failed', error: { code: 'user_error' } });
    expect(returned.error?.message).toContain(
      'RangeError: The pictures of a program have at most 4 MB together',
    );
    const shown = await run('display(png(5 << 20)); return 1');
    expect(shown).toMatchObject({ status: 'succeeded', value: 1 });
    expect(shown.stderr).toContain('RangeError: The pictures of a program have at most 4 MB together');
  });
});
