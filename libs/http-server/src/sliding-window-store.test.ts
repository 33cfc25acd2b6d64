import { afterEach, expect, jest, test } from '@jest/globals';

import { SlidingWindowStore } from './sliding-window-store.js';

afterEach(() => void jest.useRealTimers());

function counter() {
  jest.useFakeTimers();
  const store = new SlidingWindowStore();
  return (client = 'a') => {
    let count = { current: 0, ttl: 0 };
    store.incr(client, (_error, counted) => (count = counted ?? count), 1000, 2);
    return count;
  };
}

test('SlidingWindowStore counts the last period at any time, not from the start of a window', () => {
  const count = counter();
  expect(count()).toEqual({ current: 1, ttl: 1000 });
  jest.advanceTimersByTime(900);
  expect(count()).toEqual({ current: 2, ttl: 100 });
  jest.advanceTimersByTime(100);
  expect(count()).toEqual({ current: 2, ttl: 900 });
  expect(count()).toEqual({ current: 3, ttl: 900 });
});

test('SlidingWindowStore does not count refused requests, and counts each client alone', () => {
  const count = counter();
  for (let n = 0; n < 5; n++) count();
  expect(count()).toMatchObject({ current: 3 });
  expect(count('b')).toMatchObject({ current: 1 });
  jest.advanceTimersByTime(1000);
  expect(count()).toMatchObject({ current: 1 });
});

test('SlidingWindowStore remembers 5,000 clients, and forgets the first one for a further one', () => {
  const count = counter();
  for (let n = 0; n < 5000; n++) count(String(n));
  expect(count('0')).toMatchObject({ current: 2 });
  count('one more');
  expect(count('1')).toMatchObject({ current: 2 });
  expect(count('0')).toMatchObject({ current: 1 });
});
