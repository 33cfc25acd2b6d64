import type { DenialEvent, OmittedEvent, ToolCallEndedEvent } from '@code-executor/contracts';
import type { Histogram } from 'prom-client';

/** Whether prom-client accepts a value; it throws at negative numbers and at NaN, and a record must never throw. */
export function isAmount(value: number | undefined): value is number {
  return Number.isFinite(value) && Number(value) >= 0;
}

/** A duration in ms, into a histogram in seconds. */
export function observeMs(
  histogram: Histogram,
  labels: Record<string, string>,
  ms: number | undefined,
): void {
  if (isAmount(ms)) histogram.observe(labels, ms / 1000);
}

/** How many calls an event stands for: one, or those that have no event of their own. */
export function eventCount(event: DenialEvent | ToolCallEndedEvent | OmittedEvent): number {
  return event.action === 'omitted' && isAmount(event.count) ? event.count : 1;
}
