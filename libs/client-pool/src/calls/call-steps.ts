import {
  type CallStep,
  CodeExecutorError,
  type NextStep,
  throughSteps,
  type ToolResult,
  type ToolSchema,
  untilAborted,
} from '@code-executor/contracts';

import { isLoss } from '../connection/connection-errors.js';
import { withCallSpan } from './call-span.js';
import { cancelled } from './cancelled.js';
import type { PoolCall } from './pool-call.js';
import { withRetries } from './retries.js';

type Next = NextStep<PoolCall>;

/** What happens around each call, in this order. Those after `retry` happen around each attempt at it. */
export const callSteps: readonly CallStep<PoolCall>[] = [
  { name: 'cancellation', around: endWhenCancelled },
  { name: 'open pool', around: refuseIfClosed },
  { name: 'lookup', around: lookUp },
  { name: 'circuit before the queue', around: refuseIfCircuitIsOpen },
  { name: 'queue', around: waitForTurn },
  { name: 'lookup after the queue', around: lookUpAgain },
  { name: 'server under way', around: countAtServer },
  { name: 'retry', around: retry },
  { name: 'circuit', around: throughCircuit },
  { name: 'trace', around: trace },
  { name: 'session', around: renewSession },
];

/** Makes a call through all steps. */
export const makeCall = throughSteps(callSteps, callServer);

async function endWhenCancelled(call: PoolCall, next: Next): Promise<ToolResult> {
  const { signal } = call.options;
  if (signal?.aborted) throw cancelled(signal);
  try {
    return await next(call);
  } catch (error) {
    // The steps reject with the reason that the caller gave to its signal.
    if (signal?.aborted) throw cancelled(signal);
    throw CodeExecutorError.from(error);
  }
}

function refuseIfClosed(call: PoolCall, next: Next): Promise<ToolResult> {
  call.parts.assertOpen();
  return next(call);
}

async function lookUp(call: PoolCall, next: Next): Promise<ToolResult> {
  const { parts, name, options } = call;
  call.found = await untilAborted(parts.finder.find(name, options), options.signal);
  return next(call);
}

/** So that calls to a server that fails all the time take no places in the queue. */
function refuseIfCircuitIsOpen(call: PoolCall, next: Next): Promise<ToolResult> {
  const refusal = call.found.server.circuit.refusal(call.name);
  if (refusal) throw refusal;
  return next(call);
}

async function waitForTurn(call: PoolCall, next: Next): Promise<ToolResult> {
  const endTurn = await turnOf(call);
  try {
    call.options.onStart?.();
    return await next(call);
  } finally {
    endTurn();
  }
}

/** A call that waits for its server to start holds no place that others could have. */
async function turnOf({ found: { server, schema }, parts, options }: PoolCall): Promise<() => void> {
  const { signal } = options;
  for (;;) {
    if (server.isPaused) await untilAborted(server.pauseEnded(), signal);
    await untilAborted(server.startEnded(), signal);
    const endTurn = await parts.queue.turn(schema, options);
    if (!server.isPaused) return endTurn;
    endTurn();
  }
}

/** The servers may have been updated during the wait. */
function lookUpAgain(call: PoolCall, next: Next): Promise<ToolResult> {
  return call.found.server.isRetired ? lookUp(call, next) : next(call);
}

/** A server that is removed from the configuration finishes these calls before it closes. */
function countAtServer(call: PoolCall, next: Next): Promise<ToolResult> {
  return call.found.server.counted(next(call));
}

function retry(call: PoolCall, next: Next): Promise<ToolResult> {
  const { server, schema } = call.found;
  const mayRetry = (error: unknown) =>
    isRepeatable(schema) &&
    !server.isPaused &&
    CodeExecutorError.from(error).code === 'unavailable' &&
    server.circuit.refusal(schema.name) === undefined;
  const attempt = (timeoutMs: number, isRetry: boolean) => {
    call.attempt = { timeoutMs, isUrgent: isRetry, traceparent: undefined };
    return next(call);
  };
  return withRetries(attempt, { mayRetry, timeoutMs: server.callTimeoutMs, signal: call.options.signal });
}

/** Whether the server says that a second call does no harm; it bears the harm if that is not true. */
function isRepeatable({ annotations }: ToolSchema): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}

function throughCircuit(call: PoolCall, next: Next): Promise<ToolResult> {
  const { server, schema } = call.found;
  return server.circuit.run(schema.name, call.options, (isTrial) => {
    if (isTrial) call.attempt.isUrgent = true;
    return next(call);
  });
}

function trace(call: PoolCall, next: Next): Promise<ToolResult> {
  const { server, ownName } = call.found;
  const { traceparent } = call.options;
  const span = { server: server.name, tool: ownName, transport: server.transport, traceparent };
  return withCallSpan(span, (own) => {
    call.attempt.traceparent = own;
    return next(call);
  });
}

async function renewSession(call: PoolCall, next: Next): Promise<ToolResult> {
  try {
    return await next(call);
  } catch (error) {
    // Nothing was executed, and sessions expire at healthy servers too, so the caller need not know.
    if (!isSessionExpired(error)) throw error;
  }
  return next(call);
}

function isSessionExpired(error: unknown): boolean {
  const { cause } = CodeExecutorError.from(error);
  return isLoss(cause) && cause.isSessionExpired === true;
}

async function callServer({ found, attempt, args, options }: PoolCall): Promise<ToolResult> {
  const { server, ownName, schema: tool } = found;
  const { timeoutMs, isUrgent, traceparent } = attempt;
  const { signal } = options;
  const connection = await server.connectedFor(tool.name, isUrgent, signal);
  if (options.acceptTool) {
    const current = await untilAborted(server.toolOver(connection, ownName), signal);
    options.acceptTool(current ?? tool);
  }
  return connection.callTool({ tool, ownName, args, timeoutMs, traceparent, signal });
}
