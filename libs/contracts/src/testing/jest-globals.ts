import type * as jest from '@jest/globals';

type JestGlobals = Pick<typeof jest, 'afterAll' | 'beforeAll' | 'describe' | 'expect' | 'test'>;

/** Jest's own globals; an import of `@jest/globals` would keep the fakes from loading in any other test runner. */
export function jestGlobals(): JestGlobals {
  return globalThis as unknown as JestGlobals;
}
