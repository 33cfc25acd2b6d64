import { type HookVerdict, printable } from '@code-executor/contracts';

import { HookFailure } from './hook-failure.js';

const decisions: readonly unknown[] = ['allow', 'deny', 'ask'] satisfies HookVerdict['decision'][];
const fields = ['decision', 'reason'];
const maxReasonChars = 500;

/**
 * The verdict in an answer: one JSON object with `decision` and perhaps `reason`, and nothing else, because a hook that
 * writes anything else may have meant something else.
 */
export function parseVerdict(text: string): HookVerdict {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new HookFailure('its answer is not JSON');
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new HookFailure('its answer is not one JSON object');
  }
  const unknown = Object.keys(data).find((key) => !fields.includes(key));
  if (unknown !== undefined) {
    const name = printable(unknown.slice(0, 60));
    throw new HookFailure(`its answer has the field ${JSON.stringify(name)}, besides decision and reason`);
  }
  const { decision, reason } = data as { decision?: unknown; reason?: unknown };
  if (!decisions.includes(decision)) {
    throw new HookFailure('the decision in its answer is not allow, deny or ask');
  }
  if (reason !== undefined && typeof reason !== 'string') {
    throw new HookFailure('the reason in its answer is not a text');
  }
  const said = printable(reason?.slice(0, maxReasonChars).trim() ?? '');
  return { decision: decision as HookVerdict['decision'], ...(said && { reason: said }) };
}
