import * as z from 'zod';

/** A string that can be a path, an argument or a name: not empty, no NUL character. */
export const text = () => z.string().min(1).refine(hasNoNul, { error: 'contains a NUL character' });

/** A string that may be empty, without NUL characters. */
export const anyText = () => z.string().refine(hasNoNul, { error: 'contains a NUL character' });

function hasNoNul(value: string): boolean {
  return !value.includes('\0');
}
