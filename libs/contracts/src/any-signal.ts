/** One signal that aborts with the first of several. Absent ones are ignored, and a single one is returned as it is. */
export function anySignal(first: AbortSignal, ...others: (AbortSignal | undefined)[]): AbortSignal;
export function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined;
export function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = [...new Set(signals)].filter((signal) => signal !== undefined);
  if (given.length < 2) return given[0];
  return AbortSignal.any(given);
}
