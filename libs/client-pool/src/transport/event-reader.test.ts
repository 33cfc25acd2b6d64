import { describe, expect, test } from '@jest/globals';

import { EventReader } from './event-reader.js';
import { ServerMessages } from './unfinished-messages.js';

/** The events of a stream that arrives in pieces of this many bytes. */
function read(stream: string, pieceSize: number): string[] {
  const reader = new EventReader(new ServerMessages().buffer());
  const bytes = Buffer.from(stream);
  const events: string[] = [];
  for (let start = 0; start < bytes.length; start += Math.min(pieceSize, bytes.length)) {
    for (const event of reader.push(bytes.subarray(start, start + pieceSize))) {
      events.push(
        Buffer.isBuffer(event) ? event.toString() : `cut ${event.head.length}+${event.tail.length}`,
      );
    }
  }
  return events;
}

describe.each([1, 2, 5, Infinity])('EventReader with pieces of %d bytes', (pieceSize) => {
  test.each<[string, string, string[]]>([
    ['events', 'data: 1\n\ndata: 2\n\n', ['data: 1\n\n', 'data: 2\n\n']],
    ['carriage returns', 'data: 1\r\rdata: 2\r\r', ['data: 1\n\n', 'data: 2\n\n']],
    ['both', 'id: 7\r\ndata: ü\r\n\r\ndata: 2\r\n\r\n', ['id: 7\ndata: ü\n\n', 'data: 2\n\n']],
    ['a mixture', 'event: a\rdata: 1\n\r\ndata: 2\r\n\n', ['event: a\ndata: 1\n\n', 'data: 2\n\n']],
    ['empty lines', '\n\n\r\n\rdata: 1\n\n\n\n', ['data: 1\n\n']],
    ['an event without end', 'data: 1\n\ndata: 2\n', ['data: 1\n\n']],
  ])('reads %s', (_name, stream, events) => {
    expect(read(stream, pieceSize)).toEqual(events);
  });
});

describe('EventReader', () => {
  const dense = '{},'.repeat(500_000);

  test.each([
    ['in one line', `data: [${dense}1]\n\n`],
    ['in many', `data: [\n${`data: ${'{},'.repeat(1000)}\n`.repeat(500)}data: 1]\n\n`],
    ['behind a quotation mark in another line', `id: "\rdata: [${dense}1]\n\n`],
  ])('cuts only the event that is too expensive: %s', (_name, event) => {
    expect(read(`data: 1\n\n${event}data: 2\n\n`, 65_536)).toEqual([
      'data: 1\n\n',
      'cut 256+256',
      'data: 2\n\n',
    ]);
  });

  test('counts the content of a string as text only', () => {
    expect(read(`data: "${dense}"\n\n`, 65_536)).toEqual([`data: "${dense}"\n\n`]);
  });
});
