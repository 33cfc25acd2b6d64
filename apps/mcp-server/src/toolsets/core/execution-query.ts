import type { JsonSchema } from '@code-executor/contracts';

/** What `getExecution` is asked. */
export interface ExecutionQuery {
  executionId?: string;
  waitMs?: number;
  fromOffset?: number;
  cancel?: boolean;
}

/** Less than the minute after which most clients give up. */
const maxWaitMs = 50_000;
const maxIdChars = 64;

/** As published: the parameters cost tokens, so what their names say is not said again. */
export const querySchema: JsonSchema = {
  type: 'object',
  properties: {
    executionId: { type: 'string', description: 'Default: lists your newest.' },
    waitMs: { type: 'integer', minimum: 0, maximum: maxWaitMs, description: 'Waits for its end.' },
    fromOffset: { type: 'integer', minimum: 0, description: 'Of the output: nextOffset of the last answer.' },
    cancel: { type: 'boolean' },
  },
  additionalProperties: false,
};

const rules: Readonly<Record<keyof ExecutionQuery, { isRight: (value: unknown) => boolean; rule: string }>> =
  {
    executionId: {
      isRight: (value) => typeof value === 'string' && value.length <= maxIdChars,
      rule: `the id of an execution, at most ${maxIdChars} characters`,
    },
    waitMs: { isRight: isIntegerUpTo(maxWaitMs), rule: `an integer from 0 to ${maxWaitMs}` },
    fromOffset: { isRight: isIntegerUpTo(Number.MAX_SAFE_INTEGER), rule: 'an integer of 0 or more' },
    cancel: { isRight: (value) => typeof value === 'boolean', rule: 'true or false' },
  };

/** The parameters, or what is wrong with them. */
export function parseQuery(args: unknown): ExecutionQuery | string {
  for (const [name, value] of Object.entries(args ?? {})) {
    const known = Object.hasOwn(rules, name) ? rules[name as keyof ExecutionQuery] : undefined;
    if (!known) {
      return `Unknown parameter ${JSON.stringify(name.slice(0, 60))}; known are ${Object.keys(rules).join(', ')}.`;
    }
    if (!known.isRight(value)) return `Parameter ${name} must be ${known.rule}.`;
  }
  return { ...(args as ExecutionQuery) };
}

function isIntegerUpTo(max: number): (value: unknown) => boolean {
  return (value) => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max;
}
