import { setTimeout as delay } from 'node:timers/promises';

import type { Caller, Logger } from '@code-executor/contracts';
import {
  type CallToolResult,
  createRequestStateCodec,
  inputRequired,
  type InputRequiredResult,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';

import type { Tool, ToolOutcome } from '../../tool.js';
import { askByElicitation } from '../questions/ask-by-elicitation.js';
import { inputRequestsOf, takeResponses } from '../questions/input-requests.js';
import { loginRequestsOf, offerByElicitation } from '../questions/login-requests.js';
import type { RequestingClient } from '../requesting-client.js';
import { createdTask, taskTtlMs } from '../tasks/task-view.js';
import { CallUnderWay } from './call-under-way.js';
import { followCall } from './follow-call.js';
import type { KeptCalls } from './kept-calls.js';

/**
 * How long a program that has asked is kept if its client does not come back: longer than a question stays open, because the
 * program goes on without an answer, and the client may still get what came of it.
 */
const leaseMs = 15 * 60_000;
/** Longer still, so that the answer to a client that comes back late says what happened. */
const stateTtlSeconds = 20 * 60;
/** A call that takes longer than this becomes a task, if the client takes tasks. */
const longMs = 10_000;

/** One request to call a tool. */
export interface ToolRequest {
  tool: Tool;
  args: unknown;
  client: RequestingClient;
  caller: Caller;
  context: ServerContext;
  toResult: (outcome: ToolOutcome) => CallToolResult;
  logger: Logger;
}

/** Calls a tool for a client up to 2025-11-25: the request is open until the call is over, and asks the person meanwhile. */
export async function callInOldEra(request: ToolRequest): Promise<CallToolResult> {
  const { client, context, logger } = request;
  const call = begin(request);
  const following = followCall(call, context, client.logLevel, logger);
  if (client.canShowForms) void askByElicitation(call, context, following.signal);
  call.onLink((link) => void offerByElicitation(link, context, logger));
  try {
    await call.ended;
  } finally {
    await following.leave();
  }
  return resultOf(call, request);
}

/** What a client of 2026-07-28 sends back with the answers, to find its call again. */
interface CallState {
  call: string;
}

export type CallStates = RequestStateCodec<CallState>;

/** Signs what clients send back. A state that was made for another caller is refused. */
export function callStates({ key }: KeptCalls, caller: () => Caller): CallStates {
  return createRequestStateCodec({ key, ttlSeconds: stateTtlSeconds, bind: () => caller().id });
}

/**
 * Calls a tool for a client of 2026-07-28. A request that has to wait for a person ends with the questions; the program stays,
 * and the client sends the same request again with the answers. If the client takes tasks, a call that asks or takes long
 * becomes one. Links to log in are shown in the same way, and need no answer: the next request gets the result.
 */
export async function callInNewEra(
  request: ToolRequest,
  kept: KeptCalls,
  states: CallStates,
): Promise<CallToolResult | InputRequiredResult> {
  const { client, context, logger, tool, args, caller } = request;
  const state = context.mcpReq.requestState<CallState>();
  const found = state && kept.get(state.call, caller);
  if (state && !found?.isCallOf(tool.name, args)) return isGone;
  const call = found ?? begin(request);
  if (found) {
    kept.keep(found, leaseMs);
    takeResponses(found, context.mcpReq.inputResponses);
  }
  const following = followCall(call, context, client.logLevel, logger);
  try {
    await untilItAsks(call, following.signal, client.takesTasks ? longMs : undefined);
  } finally {
    await following.leave();
  }
  if (call.end && !(call.hasLinks && client.canOpenLinks)) return resultOf(call, request);
  if (client.takesTasks && !call.end) {
    kept.keep(call, taskTtlMs);
    // The SDK knows no type of it.
    return createdTask(call) as unknown as CallToolResult;
  }
  kept.keep(call, leaseMs);
  return inputRequired({
    inputRequests: { ...inputRequestsOf(call), ...(client.canOpenLinks && loginRequestsOf(call)) },
    requestState: await states.mint({ call: call.id }, context),
  });
}

function begin({ tool, args, caller, client, context }: ToolRequest): CallUnderWay {
  const traceparent = context.mcpReq._meta?.['traceparent'];
  return new CallUnderWay(tool, args, {
    caller,
    canAsk: client.canShowForms,
    // The login ends at an address of this machine, which a browser on another one does not reach.
    canOpenLinks: client.canOpenLinks && caller.kind === 'stdio',
    ...(typeof traceparent === 'string' && { traceparent }),
  });
}

/** Resolves when a question is open, when the call is over, and after `maxMs`. */
async function untilItAsks(
  call: CallUnderWay,
  signal: AbortSignal,
  maxMs: number | undefined,
): Promise<void> {
  const asks = call.nextQuestion(signal);
  const isLong = maxMs === undefined ? [] : [delay(maxMs, undefined, { signal, ref: false })];
  // Whichever is later rejects when the signal fires, and nobody waits for it then.
  for (const waiting of [asks, ...isLong]) waiting.catch(() => undefined);
  await Promise.race([asks, ...isLong]);
}

function resultOf({ end }: CallUnderWay, { toResult }: ToolRequest): CallToolResult {
  if (end && 'outcome' in end) return toResult(end.outcome);
  throw end?.fault;
}

const isGone: CallToolResult = {
  content: [
    {
      type: 'text',
      text: 'The program that asked is no longer there: it has ended, nobody came back for 15 minutes, or the server was started again. Call the tool again from the beginning, if it is still needed.',
    },
  ],
  isError: true,
};
