import type { Caller } from './caller.js';
import type { JsonObject } from './json.js';

/** A call that waits for the decision of a person. */
export interface ApprovalRequest {
  /** The full name of an upstream tool, or the name of one of the product's own. */
  toolName: string;
  /** The server that offers the tool; absent for the product's own. */
  server?: string;
  args: JsonObject;
  /** Why a person is asked, for that person: the key of the rule, or what a hook said. */
  why: string;
}

/**
 * What came of it. With the first three the call goes on: the person agreed to this call, to all calls of the tool in
 * this run, or to several. `cancelled`: the question was dismissed without an answer. `unsupported`: nobody can be asked,
 * because the client cannot ask its user.
 */
export type ApprovalOutcome = 'once' | 'run' | 'times' | 'denied' | 'cancelled' | 'timed_out' | 'unsupported';

/**
 * Asks a person, unless an earlier answer covers the call. Rejects with the reason of the signal, and with a
 * `CodeExecutorError` if no more questions can be asked.
 */
export type Approve = (request: ApprovalRequest, signal?: AbortSignal) => Promise<ApprovalOutcome>;

/** A call as a hook sees it, before it is made. */
export interface HookedCall extends Omit<ApprovalRequest, 'why' | 'server'> {
  server: string;
  executionId?: string;
  caller: Caller;
}

/** What a hook decides about a call. The reason is shown to whoever asked for the call, or to the person who is asked. */
export interface HookVerdict {
  decision: 'allow' | 'deny' | 'ask';
  reason?: string;
}

/** Decides about each call. The call is refused if it rejects. */
export type CallHook = (call: HookedCall, signal?: AbortSignal) => Promise<HookVerdict>;
