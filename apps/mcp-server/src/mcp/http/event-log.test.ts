import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { afterEach, expect, jest, test } from '@jest/globals';

import { EventLog, HeldEvents } from './event-log.js';

afterEach(() => void jest.useRealTimers());

const message = (text: string): JSONRPCMessage => ({ jsonrpc: '2.0', method: 'm', params: { text } });

async function replayed(log: EventLog, after: string): Promise<string[]> {
  const texts: string[] = [];
  await log.replayEventsAfter(after, {
    send(_id, sent) {
      texts.push(String((sent as { params?: { text?: unknown } }).params?.text));
      return Promise.resolve();
    },
  });
  return texts;
}

test('EventLog sends what came after an event on its own stream', async () => {
  const log = new EventLog(new HeldEvents());
  const opened = await log.storeEvent('a', {} as JSONRPCMessage);
  const first = await log.storeEvent('a', message('1'));
  await log.storeEvent('b', message('2'));
  await log.storeEvent('a', message('3'));
  expect(await replayed(log, opened)).toEqual(['1', '3']);
  expect(await replayed(log, first)).toEqual(['3']);
});

test.each(['a', 'a/', 'a/x', '/1', 'a/2', 'a/-1', 'a/1/1', `${'a'.repeat(65)}/1`, 'a b/1'])(
  'EventLog knows no event %s',
  async (id) => {
    const log = new EventLog(new HeldEvents());
    await log.storeEvent('a', message('1'));
    expect(log.streamOf(id)).toBeUndefined();
  },
);

test('EventLog keeps the last events: 256, of 1 MiB in all', async () => {
  const held = new HeldEvents();
  const log = new EventLog(held);
  const first = await log.storeEvent('a', message('first'));
  for (let n = 0; n < 300; n++) await log.storeEvent('a', message(String(n)));
  const texts = await replayed(log, first);
  expect([texts.length, texts[0]]).toEqual([256, '44']);
  await log.storeEvent('a', message('x'.repeat(1_000_000)));
  await log.storeEvent('a', message('y'.repeat(100_000)));
  expect((await replayed(log, first)).map((text) => text[0])).toEqual(['y']);
  expect(held.bytes).toBeLessThan(101_000);
  log.clear();
  expect(held.bytes).toBe(0);
});

test('EventLog of a session keeps its events when others fill 64 MiB: the largest loses its oldest', async () => {
  const held = new HeldEvents();
  const [small, ...greedy] = Array.from({ length: 71 }, () => new EventLog(held));
  const begun = (await small?.storeEvent('a', message('first'))) ?? '';
  await small?.storeEvent('a', message('answer'));
  for (const log of greedy)
    for (let n = 0; n < 10; n++) await log.storeEvent('a', message('x'.repeat(100_000)));
  expect(held.bytes).toBeLessThanOrEqual(64 * 1024 * 1024);
  expect(held.bytes).toBeGreaterThan(63 * 1024 * 1024);
  expect(small && (await replayed(small, begun))).toEqual(['answer']);
  for (const log of greedy) log.clear();
  expect(held.bytes).toBe(small?.bytes);
});

test('EventLog forgets events after five minutes', async () => {
  jest.useFakeTimers();
  const log = new EventLog(new HeldEvents());
  const first = await log.storeEvent('a', message('1'));
  await log.storeEvent('a', message('2'));
  jest.advanceTimersByTime(300_000);
  log.dropOld();
  expect(await replayed(log, first)).toEqual([]);
});
