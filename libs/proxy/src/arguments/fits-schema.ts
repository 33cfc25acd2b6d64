import { CodeExecutorError, type ToolSchema } from '@code-executor/contracts';
import type { ToolForm } from '@code-executor/schema-types';

import type { BudgetMeter } from '../calls/call-budget.js';
import type { ToolLookup } from '../discovery/tool-lookup.js';
import { quoteName, quoteValue } from '../quote.js';
import { checkArguments } from './argument-validator.js';
import { explainErrors } from './explain-errors.js';

/** What the check of a call's arguments needs. */
export interface ArgumentCheck {
  budget: BudgetMeter;
  lookup: ToolLookup;
  /** How messages write the tool. */
  form: ToolForm;
}

/**
 * True if the arguments fit the tool's schema. Arguments that do not may fit the schema that the server publishes
 * now: then a promise of the same.
 *
 * @throws CodeExecutorError `invalid_argument` if they fit neither; the promise rejects with it.
 */
export function fitsSchema(
  check: ArgumentCheck,
  tool: ToolSchema,
  args: unknown,
  signal: AbortSignal | undefined,
): true | Promise<true> {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    throw refusal(
      tool,
      `The arguments of ${quoteName(tool.name)} must be one object, not ${quoteValue(args)}.`,
    );
  }
  const errors = checkArguments(tool, args, check.budget.checks);
  return errors.length === 0 || fitsSchemaOfNow();

  async function fitsSchemaOfNow(): Promise<true> {
    const current = (await check.lookup.refresh(tool, signal)) ?? tool;
    const left = current === tool ? errors : checkArguments(current, args, check.budget.checks);
    if (left.length > 0) throw refusal(tool, explainErrors(current, left, check.form));
    return true;
  }
}

function refusal({ name, server }: ToolSchema, problem: string): CodeExecutorError {
  return new CodeExecutorError('invalid_argument', problem, { tool: name, server });
}
