import {
  type CallHook,
  CodeExecutorError,
  type HookEvent,
  type HookVerdict,
  printable,
  untilAborted,
} from '@code-executor/contracts';

import type { ProxyCall } from '../calls/proxy-call.js';
import { quoteName } from '../quote.js';

const maxReasonChars = 500;
/** Why a person is asked if the hook gives no reason. */
const askedByHook = 'policy.hook';

const statuses: Record<HookEvent['action'], HookEvent['status']> = {
  allow: 'success',
  ask: 'success',
  deny: 'rejected',
  failed: 'failure',
};

const decisions: readonly string[] = ['allow', 'deny', 'ask'] satisfies HookVerdict['decision'][];

/** Waits for the verdict of the hook; rejects unless it lets the call go on, or wants a person to be asked. */
export async function passHook(call: ProxyCall, hook: CallHook): Promise<void> {
  const { decision, reason } = await verdictOn(call, hook);
  const said = printable(reason?.slice(0, maxReasonChars).trim() ?? '');
  if (decision === 'ask') call.askedByHook = said || askedByHook;
  if (decision !== 'deny') return;
  const why = said ? `: ${said}` : ' and gave no reason.';
  throw refusal(
    'permission_denied',
    `The hook of the server (policy.hook) refused this call of ${nameOf(call)}${why}`,
    call,
  );
}

async function verdictOn(call: ProxyCall, hook: CallHook): Promise<HookVerdict> {
  const { name: toolName, args, tool, parts, signal } = call;
  const { executionId } = parts.origin;
  const sinceMs = performance.now();
  const record = (action: HookEvent['action']) =>
    parts.log.decided({ type: 'hook', action, status: statuses[action] }, call, sinceMs);
  try {
    const hooked = {
      toolName,
      server: tool.server,
      args,
      caller: parts.caller,
      ...(executionId !== undefined && { executionId }),
    };
    const verdict = await untilAborted(hook(hooked, signal), signal);
    if (!decisions.includes(verdict.decision))
      throw new TypeError('The hook gave something else than a verdict.');
    record(verdict.decision);
    return verdict;
  } catch (cause) {
    record('failed');
    signal?.throwIfAborted();
    const problem = `${nameOf(call)} was not called because the hook of the server (policy.hook) gave no verdict. Try again later; the log says what is wrong.`;
    throw refusal('unavailable', problem, call, cause);
  }
}

function refusal(
  code: 'permission_denied' | 'unavailable',
  problem: string,
  { name, tool }: ProxyCall,
  cause?: unknown,
): CodeExecutorError {
  return new CodeExecutorError(code, problem, {
    tool: name,
    server: tool.server,
    ...(cause !== undefined && { cause }),
  });
}

function nameOf({ name }: ProxyCall): string {
  return quoteName(name);
}
