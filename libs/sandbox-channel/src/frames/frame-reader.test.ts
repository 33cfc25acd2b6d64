import { describe, expect, test } from '@jest/globals';

import { FrameReader } from './frame-reader.js';

const nonce = '0123456789abcdef0123456789abcdef';

/** Everything that a reader reports, in order, if the bytes arrive in pieces of the given size. */
function read(bytes: Buffer | string, pieceSize = Infinity, maxFrameBytes = 100): [string, string][] {
  const events: [string, string][] = [];
  const reader = new FrameReader(nonce, maxFrameBytes, {
    onText: (text) => {
      const last = events.at(-1);
      if (last?.[0] === 'text') last[1] += text;
      else events.push(['text', text]);
    },
    onFrame: (json) => events.push(['frame', json]),
    onOversizedFrame: () => events.push(['oversized', '']),
  });
  const all = Buffer.from(bytes);
  for (let start = 0; start < all.length; start += Math.min(pieceSize, all.length)) {
    reader.push(all.subarray(start, start + pieceSize));
  }
  reader.end();
  return events;
}

describe.each([1, 2, 7, 33, Infinity])('FrameReader with pieces of %d bytes', (pieceSize) => {
  test.each<[string, string, [string, string][]]>([
    ['text', 'hello\nworld', [['text', 'hello\nworld']]],
    ['a frame', `\x1e${nonce}{"a":1}\n`, [['frame', '{"a":1}']]],
    [
      'text around frames, with and without line feeds',
      `a\x1e${nonce}1\n\x1e${nonce}2\nb`,
      [
        ['text', 'a'],
        ['frame', '1'],
        ['frame', '2'],
        ['text', 'b'],
      ],
    ],
    ['a wrong nonce', `\x1e${'f'.repeat(32)}{}\n`, [['text', `\x1e${'f'.repeat(32)}{}\n`]]],
    [
      'separators before a frame',
      `\x1e\x1e01\x1e${nonce}{}\n`,
      [
        ['text', '\x1e\x1e01'],
        ['frame', '{}'],
      ],
    ],
    ['a frame without end', `\x1e${nonce}{"a"`, [['text', `\x1e${nonce}{"a"`]]],
    ['half a marker at the end', '\x1e0123', [['text', '\x1e0123']]],
    ['characters of several bytes', 'grüß 🎈', [['text', 'grüß 🎈']]],
  ])('reads %s', (_, bytes, events) => {
    expect(read(bytes, pieceSize)).toEqual(events);
  });

  test('stops reading at a frame that is too long', () => {
    expect(read(`a\x1e${nonce}${'x'.repeat(101)}\nb`, pieceSize)).toEqual([
      ['text', 'a'],
      ['oversized', ''],
    ]);
    expect(read(`\x1e${nonce}${'x'.repeat(100)}\n`, pieceSize)).toEqual([['frame', 'x'.repeat(100)]]);
  });

  test.each([
    ['too deep', '['.repeat(201) + ']'.repeat(201)],
    ['too expensive', `[${'{},'.repeat(120_000)}1]`],
  ])('stops reading at a frame that is %s', (_name, json) => {
    if (pieceSize < 7) return;
    expect(read(`\x1e${nonce}"${json}"\n\x1e${nonce}${json}\nb`, pieceSize, 1 << 20)).toEqual([
      ['frame', `"${json}"`],
      ['oversized', ''],
    ]);
  });

  test('reports a frame that is not UTF-8 as a frame, not as text', () => {
    const bytes = Buffer.concat([Buffer.from(`\x1e${nonce}`), Buffer.of(0xff, 0x0a)]);
    expect(read(bytes, pieceSize)).toEqual([['frame', '\ufffd']]);
  });
});

test('FrameReader reports text that only began like a frame as soon as it differs', () => {
  const texts: string[] = [];
  const reader = new FrameReader(nonce, 100, {
    onText: (text) => texts.push(text),
    onFrame: () => undefined,
    onOversizedFrame: () => undefined,
  });
  reader.push(Buffer.from('\x1e01'));
  expect(texts).toEqual([]);
  reader.push(Buffer.from('x'));
  expect(texts.join('')).toBe('\x1e01x');
});

test.each([
  ['separators', Buffer.alloc(1 << 16, 0x1e)],
  ['beginnings of markers', Buffer.from(`\x1e${nonce.slice(0, -1)}`.repeat(2000))],
  ['line feeds', Buffer.alloc(1 << 16, 0x0a)],
])('FrameReader reports %s in few pieces', (_, bytes) => {
  // With one call for each of them, a program could keep the server busy.
  let pieces = 0;
  const reader = new FrameReader(nonce, 100, {
    onText: () => pieces++,
    onFrame: () => undefined,
    onOversizedFrame: () => undefined,
  });
  for (let times = 0; times < 10; times++) reader.push(bytes);
  reader.end();
  expect(pieces).toBeLessThanOrEqual(30);
});
