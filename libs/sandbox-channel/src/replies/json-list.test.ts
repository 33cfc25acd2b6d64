import { describe, expect, test } from '@jest/globals';

import { HostCalls } from '../host-calls.js';
import { JsonList } from './json-list.js';

/** The reply that a program gets if a handler answers a list of these items. */
function replyTo(...items: object[]): Promise<unknown> {
  return new Promise((resolve) => {
    const table = new Map([['list', { answer: () => Promise.resolve(new JsonList(items)) }]]);
    const reply = (line: Buffer) => {
      resolve(JSON.parse(line.toString()));
      return Promise.resolve();
    };
    const calls = new HostCalls(table, {} as never, reply, new AbortController().signal);
    calls.accept({ type: 'call', id: 7, method: 'list', params: {} }, 0);
  });
}

describe('JsonList', () => {
  test('is answered as a list', async () => {
    expect(await replyTo()).toEqual({ id: 7, value: [] });
    const items = [{ name: '"\n\u2028', none: undefined }, [1, null], {}];
    expect(await replyTo(...items)).toEqual({ id: 7, value: [{ name: '"\n\u2028' }, [1, null], {}] });
  });

  test('serializes each item once', async () => {
    let times = 0;
    const item = { toJSON: () => ++times };
    expect(await replyTo(item, item)).toEqual({ id: 7, value: [1, 1] });
    expect(await replyTo({ a: 1 }, item)).toEqual({ id: 7, value: [{ a: 1 }, 1] });
    expect(await replyTo({ toJSON: () => ++times })).toEqual({ id: 7, value: [2] });
  });

  test.each<[string, object, string]>([
    ['nested too deep', nest(20_000), 'The answer is nested too deep for the sandbox.'],
    [
      'too large',
      { a: '€'.repeat(6_000_000) },
      'The answer is larger than 16 MB; ask for less of it at a time.',
    ],
  ])('is refused if an item is %s', async (_what, item, message) => {
    expect(await replyTo({}, item)).toEqual({ id: 7, error: { code: 'resource_exhausted', message } });
  });
});

function nest(levels: number): object {
  let value: object = {};
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}
