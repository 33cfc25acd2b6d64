import { afterEach, describe, expect, jest, test } from '@jest/globals';

import { CodeExecutorError } from '@code-executor/contracts';

import { ExecutionQueue } from './execution-queue.js';
import { python } from './languages/python.js';
import { typescript } from './languages/typescript.js';

/** Both languages, of which as many Python programs run at once. */
const withPython = (maxConcurrent = python.maxConcurrent) => [typescript, { ...python, maxConcurrent }];

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

  test('runs at most maxConcurrent tasks at once, first come, first served', async () => {
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
    const results = Promise.all([0, 1, 2, 3, 4].map((index) => queue.run(task(index), 'typescript')));
    expect(queue.stats).toEqual({ running: 2, waiting: 3, max: 2 });
    expect(await results).toEqual([0, 1, 2, 3, 4]);
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect(most).toBe(2);
    expect(queue.stats).toEqual({ running: 0, waiting: 0, max: 2 });
  });

  test('goes on after a task that failed', async () => {
    const queue = new ExecutionQueue({ maxConcurrent: 1 });
    await expect(queue.run(() => Promise.reject(new Error('no')), 'typescript')).rejects.toThrow('no');
    expect(await queue.run(() => Promise.resolve('yes'), 'typescript')).toBe('yes');
  });

  test('refuses a task while maxQueued are waiting, and says when to try again', async () => {
    const queue = new ExecutionQueue({ maxConcurrent: 1, maxQueued: 1 });
    const open = openTask();
    const both = [queue.run(open.run, 'typescript'), queue.run(() => Promise.resolve(), 'typescript')];
    const error = await errorOf(queue.run(() => Promise.resolve(), 'typescript'));
    expect(error).toMatchObject({ code: 'unavailable', retryAfterMs: 60_000 });
    open.end();
    await Promise.all(both);
  });

  test('with maxQueued 0, still runs a task that finds a free place', async () => {
    const queue = new ExecutionQueue({ maxConcurrent: 1, maxQueued: 0 });
    expect(await queue.run(() => Promise.resolve(1), 'typescript')).toBe(1);
  });

  test('gives up on a task that has waited for queueTimeoutMs, but never on one that runs', async () => {
    jest.useFakeTimers();
    const queue = new ExecutionQueue({ maxConcurrent: 1, queueTimeoutMs: 1000 });
    const open = openTask();
    const first = queue.run(open.run, 'typescript');
    let started = false;
    const second = errorOf(queue.run(() => Promise.resolve((started = true)), 'typescript'));
    await jest.advanceTimersByTimeAsync(1000);
    expect(await second).toMatchObject({ code: 'unavailable', retryAfterMs: 30_000 });
    expect(queue.stats).toEqual({ running: 1, waiting: 0, max: 1 });
    open.end();
    await first;
    expect(started).toBe(false);
  });

  test('rejects a cancelled task at once and frees its place in the queue', async () => {
    const queue = new ExecutionQueue({ maxConcurrent: 1 });
    const open = openTask();
    const first = queue.run(open.run, 'typescript');
    const caller = new AbortController();
    const waiting = errorOf(queue.run(() => Promise.resolve(), 'typescript', caller.signal));
    caller.abort();
    expect((await waiting).code).toBe('cancelled');
    expect(queue.stats.waiting).toBe(0);
    expect((await errorOf(queue.run(() => Promise.resolve(), 'typescript', AbortSignal.abort()))).code).toBe(
      'cancelled',
    );
    open.end();
    await first;
  });

  describe('with a language that has a limit of its own', () => {
    test('runs no more of its programs at once, and programs in other languages pass those that wait', async () => {
      const queue = new ExecutionQueue({ maxConcurrent: 3 }, withPython(2));
      const [one, two, three, other] = [openTask(), openTask(), openTask(), openTask()];
      const started: string[] = [];
      const start = (name: string, task: typeof one) => () => {
        started.push(name);
        return task.run();
      };
      const pythons = [
        queue.run(start('one', one), 'python'),
        queue.run(start('two', two), 'python'),
        queue.run(start('three', three), 'python'),
      ];
      const typescript = queue.run(start('other', other), 'typescript');
      expect(started).toEqual(['one', 'two', 'other']);
      expect(queue.stats).toEqual({ running: 3, waiting: 1, max: 3 });
      two.end();
      await pythons[1];
      expect(queue.stats).toEqual({ running: 3, waiting: 0, max: 3 });
      expect(started).toEqual(['one', 'two', 'other', 'three']);
      for (const task of [one, three, other]) task.end();
      await Promise.all([...pythons, typescript]);
      expect(queue.stats).toEqual({ running: 0, waiting: 0, max: 3 });
    });

    test('also waits for a place in the common queue', async () => {
      const queue = new ExecutionQueue({ maxConcurrent: 1 }, withPython(4));
      const [typescript, python] = [openTask(), openTask()];
      const both = [queue.run(typescript.run, 'typescript'), queue.run(python.run, 'python')];
      expect(queue.stats).toEqual({ running: 1, waiting: 1, max: 1 });
      typescript.end();
      await both[0];
      expect(queue.stats).toEqual({ running: 1, waiting: 0, max: 1 });
      python.end();
      await both[1];
    });

    test.each([
      ['the line of Python', 16, 1],
      ['the line of all', 1, 4],
    ])(
      'rejects a task that is cancelled in %s at once',
      async (_line, maxConcurrent, maxConcurrentPython) => {
        const queue = new ExecutionQueue({ maxConcurrent }, withPython(maxConcurrentPython));
        const open = openTask();
        const first = queue.run(open.run, 'python');
        const caller = new AbortController();
        const waiting = errorOf(queue.run(() => Promise.resolve(), 'python', caller.signal));
        const next = queue.run(() => Promise.resolve('next'), 'python');
        expect(queue.stats.waiting).toBe(2);
        caller.abort();
        expect((await waiting).code).toBe('cancelled');
        expect(queue.stats.waiting).toBe(1);
        open.end();
        await first;
        expect(await next).toBe('next');
        expect(queue.stats).toEqual({ running: 0, waiting: 0, max: maxConcurrent });
      },
    );

    test('refuses a task while maxQueued wait, although TypeScript has a place', async () => {
      const queue = new ExecutionQueue({ maxConcurrent: 2, maxQueued: 1 }, withPython(1));
      const open = openTask();
      const both = [queue.run(open.run, 'python'), queue.run(open.run, 'python')];
      expect(await errorOf(queue.run(open.run, 'python'))).toMatchObject({
        code: 'unavailable',
        message: 'All 1 Python executions are busy and 1 more are waiting; try again later.',
      });
      expect(await queue.run(() => Promise.resolve('free'), 'typescript')).toBe('free');
      open.end();
      await Promise.all(both);
    });
  });

  test('by default, runs 16 tasks at once, 4 of them Python, and lets others wait for 30 s', async () => {
    jest.useFakeTimers();
    const queue = new ExecutionQueue({}, withPython());
    const open = openTask();
    const running = (count: number, language: 'python' | 'typescript') =>
      Array.from({ length: count }, () => queue.run(open.run, language));
    const all = [...running(4, 'python'), ...running(12, 'typescript')];
    const waiting = [errorOf(queue.run(open.run, 'python')), errorOf(queue.run(open.run, 'typescript'))];
    expect(queue.stats).toEqual({ running: 16, waiting: 2, max: 16 });
    await jest.advanceTimersByTimeAsync(29_999);
    expect(queue.stats.waiting).toBe(2);
    await jest.advanceTimersByTimeAsync(1);
    expect(queue.stats).toEqual({ running: 16, waiting: 0, max: 16 });
    for (const refused of waiting) expect(await refused).toMatchObject({ code: 'unavailable' });
    open.end();
    await Promise.all(all);
  });

  test('by default, runs at most 4 Python tasks, and lets 200 tasks wait', async () => {
    const queue = new ExecutionQueue({}, withPython());
    const open = openTask();
    const all = Array.from({ length: 204 }, () => queue.run(open.run, 'python'));
    expect(queue.stats).toEqual({ running: 4, waiting: 200, max: 16 });
    expect(await errorOf(queue.run(open.run, 'python'))).toMatchObject({ code: 'unavailable' });
    open.end();
    await Promise.all(all);
  });

  test('ignores the signal of a task that runs', async () => {
    const queue = new ExecutionQueue();
    const open = openTask();
    const caller = new AbortController();
    const running = queue.run(() => open.run().then(() => 'its own answer'), 'typescript', caller.signal);
    caller.abort();
    open.end();
    expect(await running).toBe('its own answer');
  });
});
