/** The earliest of several signals; absent ones are left out, and a lone one comes back as it is. */
export function anySignal(first: AbortSignal, ...others: (AbortSignal | undefined)[]): AbortSignal;
export function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined;
export function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = [...new Set(signals)].filter((signal) => signal !== undefined);
  if (given.length < 2) return given[0];
  return AbortSignal.any(given);
}
