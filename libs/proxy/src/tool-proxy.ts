import { setMaxListeners } from 'node:events';

import {
  anySignal,
  type Approve,
  type AuditSink,
  type Caller,
  type CallerEvent,
  type CallHook,
  type CallOptions,
  embedder,
  type FailedServer,
  type JsonObject,
  type ListOptions,
  type ToolHit,
  type ToolListing,
  type ToolName,
  type ToolResult,
  type ToolSource,
} from '@code-executor/contracts';
import { type ToolForm, typeScriptForm } from '@code-executor/schema-types';
import pLimit from 'p-limit';

import { BudgetMeter, type CallBudget } from './calls/call-budget.js';
import { CallLog } from './calls/call-log.js';
import { makeCall } from './calls/call-steps.js';
import { endedBeforeAnswer, toFailure } from './calls/cancellation.js';
import { type OfferLogin, ProxyCall, type ProxyParts } from './calls/proxy-call.js';
import type { ToolCall } from './calls/tool-call.js';
import { listHits } from './discovery/list-hits.js';
import { ToolLookup } from './discovery/tool-lookup.js';
import type { ToolPolicy } from './policy/operator-policy.js';
import { PolicyGate } from './policy/tool-policy.js';

export interface ToolProxyOptions {
  /** Where the tools come from. */
  tools: ToolSource;
  /**
   * What the execution may call: exact names, patterns with `*` (`mcp__github__get_*`), or servers (`github`).
   * Default: `defaultAllowedTools` of the policy, which is nothing unless it is set. `[]` is nothing.
   */
  allowedTools?: readonly string[];
  /** Who asks; its policy bounds what may be called. Default: the program that uses this library. */
  caller?: Caller;
  /**
   * Whether the caller calls tools itself, not through a program. It then has no `allowedTools`, and refusals say what
   * the operator can change. Default: false.
   */
  isDirect?: boolean;
  /** What the server's operator permits; the caller can only narrow it. */
  policy?: ToolPolicy;
  budget?: CallBudget;
  /**
   * Asks a person about the calls that the policy, the caller's policy or the hook wants a person to agree to. Default:
   * nobody can be asked, and such calls are refused.
   */
  approve?: Approve;
  /** Decides about each call before it is made; a call is refused if it rejects. */
  hook?: CallHook;
  /** How listings and errors write tools: that of the program's language. Default: TypeScript's. */
  form?: ToolForm;
  /**
   * Gets one event for each call that was made, and for up to 100 searches and refused calls of each kind;
   * `tellOmitted` adds the number of the others. Its failures are ignored.
   */
  audit?: AuditSink<CallerEvent>;
  /** Named in the audit events, and in calls. */
  executionId?: string;
  /** The execution's signal. It ends all calls and listings; from then on `calls` has no running ones. */
  signal?: AbortSignal;
  /**
   * Offers a person a link to log in at a server; resolves with whether it did. Called for each call that fails because its
   * server wants a login. Default: nobody is offered one.
   */
  offerLogin?: OfferLogin;
  /** Called with the tool's name each time an upstream call begins. */
  onCall?: (name: string) => void;
}

/** A `ToolSource` that ranks what it lists, enforces one execution's policy and remembers its calls. */
export interface ToolProxy extends ToolSource<ToolHit> {
  /** The calls so far, in the order in which they began or were refused. */
  readonly calls: readonly ToolCall[];
  /** The servers that could not be listed, each once. */
  readonly failedServers: readonly FailedServer[];
  /**
   * Records how many searches and refused calls had no event of their own: one event for each kind, with
   * `action: 'omitted'` and `count`. Call it when the execution is over.
   */
  tellOmitted(): void;
}

/** The policy of one execution around a source; throws `invalid_argument` for malformed options. */
export function createToolProxy(options: ToolProxyOptions): ToolProxy {
  return new PolicyToolProxy(options);
}

class PolicyToolProxy implements ToolProxy {
  readonly #parts: ProxyParts;
  readonly #signal: AbortSignal | undefined;
  #joined: { given: AbortSignal | undefined; signal: AbortSignal | undefined } | undefined;

  constructor(options: ToolProxyOptions) {
    const { tools, audit, executionId, signal, onCall, caller = embedder } = options;
    const budget = new BudgetMeter(options.budget);
    const log = new CallLog(audit, caller, executionId);
    this.#signal = signal;
    this.#parts = {
      tools,
      policy: new PolicyGate(options, options.policy),
      budget,
      lookup: new ToolLookup(tools, signal),
      log,
      turns: pLimit(budget.maxConcurrent),
      form: options.form ?? typeScriptForm,
      origin: {
        ...(options.caller && { caller }),
        ...(executionId !== undefined && { executionId }),
      },
      onCall,
      caller,
      approve: options.approve,
      hook: options.hook,
      offerLogin: options.offerLogin,
    };
    // Now, not when the calls come back, because what aborts the signal counts the calls next.
    signal?.addEventListener('abort', () => log.failOpen(() => endedBeforeAnswer(signal.reason)), {
      once: true,
    });
  }

  get calls(): readonly ToolCall[] {
    return this.#parts.log.calls;
  }

  get failedServers(): readonly FailedServer[] {
    return this.#parts.lookup.failedServers;
  }

  tellOmitted(): void {
    this.#parts.log.tellOmitted();
  }

  async listTools(options: ListOptions = {}): Promise<ToolListing<ToolHit>> {
    const signal = this.#join(options.signal);
    try {
      return await listHits(this.#parts, options, signal);
    } catch (reason) {
      throw toFailure(reason, signal);
    }
  }

  async callTool(name: ToolName, args: JsonObject, options: CallOptions = {}): Promise<ToolResult> {
    const { signal, traceparent } = options;
    return makeCall(new ProxyCall(this.#parts, name, args, this.#join(signal), traceparent));
  }

  /** The caller's signal and the execution's as one. It is kept, because a sandbox passes the same signal with every call. */
  #join(given: AbortSignal | undefined): AbortSignal | undefined {
    if (!this.#joined || this.#joined.given !== given) {
      const signal = anySignal(given, this.#signal);
      // Many calls at once may listen to it; Node warns of a leak from the eleventh on.
      if (signal) setMaxListeners(0, signal);
      this.#joined = { given, signal };
    }
    return this.#joined.signal;
  }
}
