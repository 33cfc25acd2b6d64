import { CodeExecutorError } from '@code-executor/contracts';

import type { Pattern, ViolationKind } from './pattern.js';

/** How often a pattern was found. Never holds what was found. */
export interface Violation {
  kind: ViolationKind;
  /** The name of the pattern, as `getSupportedPatterns` lists it. */
  pattern: string;
  /** At least 1. */
  count: number;
}

/** Counts matches by pattern. */
export class ViolationCounts {
  readonly #counts = new Map<string, Violation>();

  add({ name, kind }: Pattern): void {
    const counted = this.#counts.get(name);
    if (counted) counted.count++;
    else this.#counts.set(name, { kind, pattern: name, count: 1 });
  }

  /** In the order in which the patterns were found first. */
  list(): Violation[] {
    return [...this.#counts.values()].map((each) => ({ ...each }));
  }
}

/** The error for a text that must not be passed on. Its message has kinds, names and counts. */
export function rejection(violations: readonly Violation[]): CodeExecutorError {
  const parts = (['secret', 'personal'] as const).flatMap((kind) => {
    const ofKind = violations.filter((each) => each.kind === kind);
    if (ofKind.length === 0) return [];
    const total = ofKind.reduce((sum, { count }) => sum + count, 0);
    const names = ofKind.map(({ pattern, count }) => `${pattern}: ${count}`).join(', ');
    return [`${total} ${wordFor(kind, total)} (${names})`];
  });
  const message = `The content filter found ${parts.join(' and ')}; remove them from the text.`;
  return new CodeExecutorError('permission_denied', message);
}

function wordFor(kind: ViolationKind, total: number): string {
  if (kind === 'secret') return total === 1 ? 'secret' : 'secrets';
  return total === 1 ? 'item of personal data' : 'items of personal data';
}
