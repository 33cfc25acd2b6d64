import {
  type CallStep,
  type NextStep,
  throughSteps,
  type ToolResult,
  untilAborted,
} from '@code-executor/contracts';

import { fitsSchema } from '../arguments/fits-schema.js';
import { getApproval } from '../asking/get-approval.js';
import { passHook } from '../asking/pass-hook.js';
import { findTool, notFound } from '../discovery/find-tool.js';
import { toFailure } from './cancellation.js';
import { withOfferedLogin } from './offer-login.js';
import type { ProxyCall } from './proxy-call.js';

type Next = NextStep<ProxyCall>;

/** What happens around each call, in this order. The first step that refuses it decides the code of the error. */
export const callSteps: readonly CallStep<ProxyCall>[] = [
  { name: 'record', around: record },
  { name: 'cancellation', around: refuseCancelled },
  { name: 'known names', around: refuseMissing },
  { name: 'policy', around: checkPolicy },
  { name: 'budget', around: takeFromBudget },
  // Around all steps that ask the server, and after the policy: nobody is to log in for calls that are refused.
  { name: 'login', around: offerLogin },
  { name: 'lookup', around: lookUp },
  { name: 'policy of the server', around: checkPolicyOfServer },
  { name: 'schema', around: checkSchema },
  // Both decide about arguments that fit, and before the call takes a turn.
  { name: 'hook', around: askHook },
  { name: 'ask', around: askPerson },
  { name: 'turn', around: waitForTurn },
  { name: 'size of the result', around: countResult },
];

/** Makes a call through all steps. */
export const makeCall = throughSteps(callSteps, callSource);

async function record(call: ProxyCall, next: Next): Promise<ToolResult> {
  try {
    const result = await next(call);
    call.record.succeed(result, call.resultBytes);
    return result;
  } catch (reason) {
    const failure = toFailure(reason, call.signal);
    call.record.fail(failure);
    throw failure;
  }
}

function refuseCancelled(call: ProxyCall, next: Next): Promise<ToolResult> {
  call.signal?.throwIfAborted();
  return next(call);
}

/** Comes before the policy, because a program that adds a wrong name to a list would only be refused again. */
function refuseMissing(call: ProxyCall, next: Next): Promise<ToolResult> {
  const { name, parts, signal } = call;
  if (!parts.lookup.lacks(name)) return next(call);
  parts.budget.takeCall();
  return notFound(parts, name, signal);
}

function checkPolicy(call: ProxyCall, next: Next): Promise<ToolResult> {
  call.parts.policy.check(call.name, undefined, call.parts.lookup.servers);
  return next(call);
}

function takeFromBudget(call: ProxyCall, next: Next): Promise<ToolResult> {
  call.parts.budget.takeCall();
  return next(call);
}

function offerLogin(call: ProxyCall, next: Next): Promise<ToolResult> {
  const { offerLogin: offer } = call.parts;
  if (!offer) return next(call);
  return next(call).catch(async (reason: unknown) => {
    throw await withOfferedLogin(call, offer, reason);
  });
}

async function lookUp(call: ProxyCall, next: Next): Promise<ToolResult> {
  call.tool = await findTool(call.parts, call.name, call.signal);
  return next(call);
}

function checkPolicyOfServer(call: ProxyCall, next: Next): Promise<ToolResult> {
  call.parts.policy.check(call.name, call.tool);
  return next(call);
}

function checkSchema(call: ProxyCall, next: Next): Promise<ToolResult> {
  const { tool, args, parts, signal } = call;
  const isFitting = fitsSchema(parts, tool, args, signal);
  return isFitting === true ? next(call) : isFitting.then(() => next(call));
}

function askHook(call: ProxyCall, next: Next): Promise<ToolResult> {
  const { hook } = call.parts;
  return hook ? passHook(call, hook).then(() => next(call)) : next(call);
}

function askPerson(call: ProxyCall, next: Next): Promise<ToolResult> {
  const why = call.askedByHook ?? call.parts.policy.askedBy(call.tool);
  return why === undefined ? next(call) : getApproval(call, why).then(() => next(call));
}

function waitForTurn(call: ProxyCall, next: Next): Promise<ToolResult> {
  const { signal, parts } = call;
  const answer = parts.turns(() => {
    signal?.throwIfAborted();
    return next(call);
  });
  return untilAborted(answer, signal);
}

async function countResult(call: ProxyCall, next: Next): Promise<ToolResult> {
  const { budget } = call.parts;
  // Results came in during the wait.
  budget.checkBytes();
  const result = await next(call);
  // Before the next call's turn comes.
  call.resultBytes = budget.takeResult(result);
  return result;
}

function callSource(call: ProxyCall): Promise<ToolResult> {
  const { name, args, tool, parts, signal, traceparent } = call;
  call.record.begin();
  announce(call);
  return parts.tools.callTool(name, args, {
    ...parts.origin,
    // The one that was judged, because which servers there are may change meanwhile.
    server: tool.server,
    ...(signal && { signal }),
    ...(traceparent !== undefined && { traceparent }),
    onStart: () => call.record.leftQueue(),
  });
}

function announce({ name, parts }: ProxyCall): void {
  try {
    parts.onCall?.(name);
  } catch {
    // A listener that fails must not break the call.
  }
}
