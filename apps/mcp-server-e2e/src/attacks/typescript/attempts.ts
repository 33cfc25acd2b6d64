import assert from 'node:assert/strict';

import type { ExecutionReport } from '@code-executor/executor';

import type { Places } from '../arena/places.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import type { StdioArena, RunOptions } from '../arena/stdio-arena.js';

/** The outcome of one attempt: the text of the value that it got, or of the exception. */
export interface Outcome {
  attempt: string;
  got?: string;
  refusal?: string;
}

/** Deno's error for a missing permission. */
export const noPermission = /Requires (?:read|write|net|env|sys|run|ffi|import) access/;

const makeAttempts = `
const text = (value: unknown): string => {
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (typeof value !== 'object' || value === null) return String(value);
  try { return JSON.stringify(value) ?? String(value); } catch { return String(value); }
};
const outcomes: unknown[] = [];
const attempt = async (name: string, make: () => unknown) => {
  let timer;
  try {
    const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error('it did not settle')), 1500)));
    outcomes.push({ attempt: name, got: text(await Promise.race([make(), late])).slice(0, 2000) });
  } catch (error) {
    outcomes.push({ attempt: name, refusal: \`\${error?.name}: \${error?.message ?? error}\`.slice(0, 500) });
  } finally {
    clearTimeout(timer);
  }
};
const node = (name: string) => import('node:' + name);
`;

/** A program that evaluates each expression in turn and returns the outcomes. `node(name)` imports a module of Node. */
export function attemptProgram(expressions: readonly string[]): string {
  const attempts = expressions.map(
    (expression) =>
      `await attempt(${JSON.stringify(expression.slice(0, 200))}, async () => (${expression}));`,
  );
  return `${makeAttempts}${attempts.join('\n')}\nreturn outcomes;`;
}

/** The outcomes in the report of a program made by {@link attemptProgram}. */
export function outcomesOf(report: ExecutionReport): Outcome[] {
  assert.equal(
    report.status,
    'succeeded',
    `${report.errorCode ?? ''} ${report.error ?? ''} ${report.stderr ?? ''}`,
  );
  return report.result as unknown as Outcome[];
}

/** An attack that checks that every expression is refused with an error that matches `how`. */
export function eachRefused(
  expressions: (places: Places) => readonly string[],
  how: RegExp = noPermission,
  options: RunOptions = {},
): ProgramAttack['attack'] {
  return async (arena: StdioArena) => {
    const outcomes = outcomesOf(await arena.run(attemptProgram(expressions(arena.places)), options));
    const others = outcomes.filter(({ refusal }) => refusal === undefined || !how.test(refusal));
    assert.deepEqual(others, []);
  };
}

/** An attack that checks that the program fails with an error that matches `how`. */
export function fails(program: (places: Places) => string, how: RegExp): ProgramAttack['attack'] {
  return async (arena: StdioArena) => {
    const report = await arena.run(program(arena.places));
    assert.equal(report.success, false);
    assert.match(report.error ?? '', how);
  };
}
