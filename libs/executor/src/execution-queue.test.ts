import { afterEach, describe, expect, jest, test } from '@jest/globals';

import { CodeExecutorError } from '@code-executor/contracts';

import { ExecutionQueue } from './execution-queue.js';

/** A task that ends when told to. */
function openTask() {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { run: () => ended, end };
}

async function errorOf(promise: Promise<unknown>): Promise<CodeExecutorError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(CodeExecutorError.is(error)).toBe(true);
  return error as CodeExecutorError;
}

describe('ExecutionQueue', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  test('runs at most maxConcurrent tasks at once, in the order of their coming', async () => {
    const queue = new ExecutionQueue({ maxConcurrent: 2 });
    const order: number[] = [];
    let running = 0;
    let most = 0;
    const task = (index: number) => async () => {
      order.push(index);
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      return index;
    };
    const results = Promise.all([0, 1, 2, 3, 4].map((index) => queue.run(task(index))));
    expect(queue.stats).toEqual({ running: 2, waiting: 3, max: 2 });
    expect(await results).toEqual([0, 1, 2, 3, 4]);
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect(most).toBe(2);
    expect(queue.stats).toEqual({ running: 0, waiting: 0, max: 2 });
  });

  test('goes on after a task that failed', async () => {
    const queue = new ExecutionQueue({ maxConcurrent: 1 });
    await expect(queue.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await queue.run(() => Promise.resolve('yes'))).toBe('yes');
  });

  test('refuses when maxQueued are waiting, and says when to come back', async () => {
    const queue = new ExecutionQueue({ maxConcurrent: 1, maxQueued: 1 });
    const open = openTask();
    const both = [queue.run(open.run), queue.run(() => Promise.resolve())];
    const error = await errorOf(queue.run(() => Promise.resolve()));
    expect(error).toMatchObject({ code: 'unavailable', retryAfterMs: 60_000 });
    open.end();
    await Promise.all(both);
  });

  test('with maxQueued 0 still runs what has a free place', async () => {
    const queue = new ExecutionQueue({ maxConcurrent: 1, maxQueued: 0 });
    expect(await queue.run(() => Promise.resolve(1))).toBe(1);
  });

  test('gives up waiting after queueTimeoutMs, never a task that runs', async () => {
    jest.useFakeTimers();
    const queue = new ExecutionQueue({ maxConcurrent: 1, queueTimeoutMs: 1000 });
    const open = openTask();
    const first = queue.run(open.run);
    let started = false;
    const second = errorOf(queue.run(() => Promise.resolve((started = true))));
    await jest.advanceTimersByTimeAsync(1000);
    expect(await second).toMatchObject({ code: 'unavailable', retryAfterMs: 30_000 });
    expect(queue.stats).toEqual({ running: 1, waiting: 0, max: 1 });
    open.end();
    await first;
    expect(started).toBe(false);
  });

  test('lets a cancelled caller go at once and frees its place in the line', async () => {
    const queue = new ExecutionQueue({ maxConcurrent: 1 });
    const open = openTask();
    const first = queue.run(open.run);
    const caller = new AbortController();
    const waiting = errorOf(queue.run(() => Promise.resolve(), caller.signal));
    caller.abort();
    expect((await waiting).code).toBe('cancelled');
    expect(queue.stats.waiting).toBe(0);
    expect((await errorOf(queue.run(() => Promise.resolve(), AbortSignal.abort()))).code).toBe('cancelled');
    open.end();
    await first;
  });

  test('leaves the signal of a running task to the task', async () => {
    const queue = new ExecutionQueue();
    const open = openTask();
    const caller = new AbortController();
    const running = queue.run(() => open.run().then(() => 'its own answer'), caller.signal);
    caller.abort();
    open.end();
    expect(await running).toBe('its own answer');
  });
});
