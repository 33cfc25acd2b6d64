import type { JsonSchema } from '@code-executor/contracts';
import * as z from 'zod';

/** A nested record that is published as a plain object, because its fields would cost more tokens than they are worth. */
export function record<T extends object>(): z.ZodType<T> {
  return z.custom<T>().meta({ type: 'object' });
}

/** The JSON Schema of a tool's result, without `$schema`. */
export function publishedSchema(schema: z.ZodType): JsonSchema {
  const published = z.toJSONSchema(schema, { unrepresentable: 'any' });
  return Object.fromEntries(Object.entries(published).filter(([key]) => key !== '$schema'));
}
