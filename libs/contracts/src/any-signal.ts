import { setMaxListeners } from 'node:events';

/** The earliest of several signals; absent ones are left out. Many calls at once may listen to it. */
export function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = [...new Set(signals)].filter((signal) => signal !== undefined);
  if (given.length < 2) return given[0];
  const any = AbortSignal.any(given);
  // Node warns of a leak from the eleventh on.
  setMaxListeners(0, any);
  return any;
}
