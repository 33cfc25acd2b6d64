import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import { RunClock } from './run-clock.js';

class Pause {
  isPaused = false;
  #listener: () => void = () => undefined;

  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  set(isPaused: boolean): void {
    this.isPaused = isPaused;
    this.#listener();
  }
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test('the clock of a run stands still during a pause, and then continues', () => {
  const pause = new Pause();
  const onLimit = jest.fn();
  const clock = new RunClock(1000, pause, onLimit);
  jest.advanceTimersByTime(400);
  pause.set(true);
  // A second question changes nothing.
  pause.set(true);
  jest.advanceTimersByTime(5000);
  expect(clock.usedMs).toBe(400);
  pause.set(false);
  jest.advanceTimersByTime(599);
  expect(onLimit).not.toHaveBeenCalled();
  jest.advanceTimersByTime(1);
  expect(onLimit).toHaveBeenCalledTimes(1);
});

test('the clock of a run stands still for ten minutes at most, however often it is paused', () => {
  const pause = new Pause();
  const onLimit = jest.fn();
  const clock = new RunClock(1000, pause, onLimit);
  pause.set(true);
  jest.advanceTimersByTime(400_000);
  pause.set(false);
  pause.set(true);
  jest.advanceTimersByTime(200_000);
  expect(clock.usedMs).toBe(0);
  jest.advanceTimersByTime(999);
  pause.set(false);
  pause.set(true);
  expect(onLimit).not.toHaveBeenCalled();
  jest.advanceTimersByTime(1);
  expect(onLimit).toHaveBeenCalledTimes(1);
});

test('the clock of a run that is over does not call onLimit', () => {
  const pause = new Pause();
  const onLimit = jest.fn();
  const clock = new RunClock(1000, pause, onLimit);
  clock.stop();
  pause.set(true);
  pause.set(false);
  jest.advanceTimersByTime(5000);
  expect(onLimit).not.toHaveBeenCalled();
});
