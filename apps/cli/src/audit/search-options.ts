import type { AuditQuery } from '@code-executor/audit-log';
import { InvalidArgumentError } from 'commander';

/** The values of `--type`. */
export const types = [
  'execution',
  'tool_call',
  'discovery',
  'denial',
  'auth_failure',
  'rate_limited',
  'request_refused',
  'circuit',
  'queue',
  'ask',
  'hook',
  'login',
  'pinning',
  'session',
  'config',
  'lifecycle',
] as const satisfies NonNullable<AuditQuery['type']>[];
/** The values of `--status`. */
export const statuses = ['success', 'failure', 'rejected'] as const satisfies NonNullable<
  AuditQuery['status']
>[];

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const maxLimit = 100_000;

/** `30m`, `1h` or `7d` ago, or an ISO date with or without a time. */
export function moment(text: string): Date {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(Date.now() - Number(count) * unitMs[unit as keyof typeof unitMs]);
  const time = /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? new Date(text) : undefined;
  if (time !== undefined && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError('Expected 30m, 1h, 7d, 2026-03-01 or 2026-03-01T12:00:00Z.');
}

/** How many records to show. */
export function recordCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= maxLimit) return count;
  throw new InvalidArgumentError(`Expected a number from 1 to ${maxLimit}.`);
}
