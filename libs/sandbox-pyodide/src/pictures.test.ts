import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { PyodideSandbox } from './pyodide-sandbox.js';
import { snapshotDir } from './snapshot-dir.test.support.js';

const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const pictureOf = (mimeType: string, bytes: Buffer) => ({
  type: 'image',
  mimeType,
  data: bytes.toString('base64'),
});
/** Width and height of a PNG. */
const sizeOf = (data: unknown) => {
  const bytes = Buffer.from(data as string, 'base64');
  expect(bytes.subarray(0, 8)).toEqual(png);
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
};
const isPng = [pictureOf('image/png', png)];
/** The start of each program: makes a PNG of a given size, and an object with one method. */
const helpers = `PNG = b"\\x89PNG\\r\\n\\x1a\\n"
def png(length, mark=0): return PNG.ljust(length - 1, b"\\0") + bytes([mark])
def figure(name, result): return type("Figure", (), {name: lambda self: result, "__repr__": lambda self: "<Figure>"})()
`;

describe.each(isolationsUnderTest())('Pictures in Python (%s)', (isolation) => {
  let sandbox: PyodideSandbox;
  beforeAll(() => {
    sandbox = new PyodideSandbox({ isolation, snapshotDir: snapshotDir() });
  });
  afterAll(() => sandbox.close());

  const run = (code: string) =>
    sandbox.execute({
      code: helpers + code,
      timeoutMs: 30_000,
      permissions: noPermissions,
      tools: fakeToolSource({}),
    });

  test.each<[string, string, string, Buffer]>([
    ['_repr_png_', 'figure("_repr_png_", PNG)', 'image/png', png],
    ['_repr_png_ with metadata', 'figure("_repr_png_", (PNG, {"width": 1}))', 'image/png', png],
    [
      '_repr_png_ in base64',
      'import base64; figure("_repr_png_", base64.b64encode(PNG).decode())',
      'image/png',
      png,
    ],
  ])('are objects with %s', async (_how, code, mimeType, bytes) => {
    expect(await run(code)).toMatchObject({
      status: 'succeeded',
      value: '<Figure>',
      valueNote: `The value is a picture (${mimeType}), shown beside this.`,
      content: [pictureOf(mimeType, bytes)],
    });
  });

  test('can be bytes that are the value of the program', async () => {
    expect(await run('PNG')).toMatchObject({ status: 'succeeded', value: null, content: isPng });
  });

  test('are shown by display(), in order with printed text', async () => {
    const code = `
display(PNG)
display(bytearray(b"\\xff\\xd8\\xff"))
display(memoryview(b"GIF89a"))
display(b"RIFF\\x0a\\x0a\\x0a\\x0aWEBPVP8 ")
display(figure("_repr_png_", PNG))
display({"a": 1})
display(figure("_repr_png_", None))
class Anything:
    def __getattr__(self, name): return lambda: self
    def __repr__(self): return "<Anything>"
display(Anything())
display(Anything)
display("<p>")
Anything()`;
    const result = await run(code);
    expect(result).toMatchObject({ status: 'succeeded', value: '<Anything>' });
    expect(result.content).toEqual([
      pictureOf('image/png', png),
      pictureOf('image/jpeg', Buffer.of(0xff, 0xd8, 0xff)),
      pictureOf('image/gif', Buffer.from('GIF89a')),
      pictureOf('image/webp', Buffer.from('RIFF\n\n\n\nWEBPVP8 ')),
      pictureOf('image/png', png),
    ]);
    expect(result.stdout.split('\n')).toEqual([
      "{'a': 1}",
      '<Figure>',
      '<Anything>',
      "<class '__main__.Anything'>",
      '<p>',
      '',
    ]);
  });

  test('can be base64, data URLs and image blocks of MCP; the server handles a returned block', async () => {
    const code = `
import base64
data = base64.b64encode(png(60)).decode()
block = {"type": "image", "mimeType": "image/png", "data": data}
display(data)
display(data, "image/png")
display("data:image/png;base64," + data)
display(block)
display({"mimeType": "image/png", "data": PNG})
block`;
    const block = pictureOf('image/png', Buffer.concat([png, Buffer.alloc(52)]));
    expect(await run(code)).toMatchObject({ value: block, content: [block, block, block, block, ...isPng] });
    expect(await run(`"data:image/png;base64,${block.data}"`)).toMatchObject({
      value: null,
      content: [block],
    });
  });

  test('of SVG are drawn as PNG, with text in a bundled font', async () => {
    const code = `
def text(words): return f'<svg width="300" height="60"><text y="40">{words}</text></svg>'
display(text(""))
display(text("Total → 42"))
display('<?xml version="1.0"?><!-- a --><!DOCTYPE svg><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 20"/>')
display(text("").encode())
display(figure("_repr_svg_", text("ü")))
try:
    display('<svg width="9"><rect></svg>')
except ValueError as error:
    print(error.code, error)
figure("_repr_svg_", text(""))`;
    const { content = [], ...result } = await run(code);
    expect(result).toMatchObject({
      status: 'succeeded',
      value: '<Figure>',
      valueNote: 'The value is a picture (image/svg+xml), shown beside this.',
      stdout: expect.stringMatching(/^invalid_argument The SVG cannot be drawn: .*expected 'rect' tag/),
    });
    expect(content.map(({ mimeType }) => mimeType)).toEqual(content.map(() => 'image/png'));
    const wide = [300, 60];
    expect(content.map(({ data }) => sizeOf(data))).toEqual([wide, wide, [30, 20], wide, wide, wide]);
    expect(content[1]?.['data']).not.toBe(content[0]?.['data']);
  });

  test('returned as the text of an SVG stay text, with a note on how to show it', async () => {
    expect(await run('"<svg/>"')).toMatchObject({
      value: '<svg/>',
      valueNote: 'The value is the text of an SVG; display(svg) shows it as a picture.',
    });
  });

  test('arrive completely, even if tasks show several at once', async () => {
    const code = `
import asyncio
async def show(mark): display(png(1_300_000, mark))
await asyncio.gather(show(1), show(2), show(3))
"done"`;
    const { value, content = [] } = await run(code);
    expect(value).toBe('done');
    const pictures = content.map(({ data }) => Buffer.from(data as string, 'base64'));
    expect(pictures.map((bytes) => [bytes.length, bytes.at(-1)])).toEqual(
      [1, 2, 3].map((mark) => [1_300_000, mark]),
    );
    for (const bytes of pictures) expect(bytes.subarray(0, 8)).toEqual(png);
  });

  test('throw an error if they are too large, too many or not a picture', async () => {
    const code = `
errors = []
def attempt(value):
    try:
        display(value)
    except ValueError as e:
        errors.append([e.code, str(e)])
attempt(png(5 << 20))
attempt(figure("_repr_png_", b"none"))
attempt(b"RIFF\\0\\0\\0\\0WAVE")
attempt({"mimeType": "image/png", "data": "no!"})
for _ in range(17): attempt(PNG)
errors`;
    const { value, content } = await run(code);
    expect(value).toEqual([
      [
        'resource_exhausted',
        'The pictures of a program have at most 4 MB together; show fewer or smaller ones.',
      ],
      ...[
        'What is to be shown as image/png is no picture: it begins with the bytes 6e 6f 6e 65.',
        'These bytes are no picture.',
        'The text that is to be shown as image/png is not base64.',
      ].map((problem) => ['invalid_argument', `${problem} PNG, JPEG, GIF, WebP and SVG can be shown.`]),
      ['resource_exhausted', 'A program shows at most 16 pictures.'],
    ]);
    expect(content).toHaveLength(16);
  });

  test('that are too large fail the run if they are its value', async () => {
    const result = await run('figure("_repr_png_", png(5 << 20))');
    expect(result).toMatchObject({ status: 'failed', error: { code: 'user_error' } });
    expect(result.error?.message).toContain(
      'ValueError: The pictures of a program have at most 4 MB together',
    );
  });
});
