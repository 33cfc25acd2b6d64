/** Takes fair samples on a shared machine: a case and its baseline in turn, each in a quiet moment. */
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const quietShare = 0.45;
const quietWindowMs = 120;
const maxWaitMs = 4000;

/** Waits until the CPUs have been mostly idle for a moment, but at most four seconds. */
export async function quietMoment() {
  for (let waited = 0; waited < maxWaitMs; waited += quietWindowMs) {
    const before = cpuTimes();
    await delay(quietWindowMs);
    const after = cpuTimes();
    if ((after.idle - before.idle) / (after.all - before.all) >= quietShare) return;
  }
}

function cpuTimes() {
  const times = cpus().map((cpu) => cpu.times);
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((each) => Object.values(each))) };
}

/**
 * Runs the samples of one case, interleaved: each round takes one of each, in rotated order. A sample is a number, or
 * several in an array. With `isBusy`, it does not wait for a quiet moment.
 * @returns Per sample `{ p50, p95, min, mean, count }`, in the unit that the samples return.
 */
export async function sampleCase({ samples, rounds, warmUps = 2, pauseMs = 0, isBusy = false }) {
  const names = Object.keys(samples);
  const values = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -warmUps; round < rounds; round++) {
    for (let index = 0; index < names.length; index++) {
      const name = names[(index + Math.max(0, round)) % names.length];
      if (pauseMs > 0) await delay(pauseMs);
      if (round >= 0 && !isBusy) await quietMoment();
      const measured = await samples[name]();
      if (round >= 0) values[name].push(...[measured].flat());
    }
  }
  return Object.fromEntries(names.map((name) => [name, summarize(values[name])]));
}

export function summarize(values) {
  const sorted = [...values].sort((left, right) => left - right);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return { p50: at(0.5), p95: at(0.95), min: sorted[0], mean, count: sorted.length };
}

/** Measures an asynchronous function, in milliseconds. */
export async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
