import type {
  Approve,
  Caller,
  CallHook,
  CallOptions,
  JsonObject,
  ToolName,
  ToolSchema,
  ToolSource,
} from '@code-executor/contracts';
import type { ToolForm } from '@code-executor/schema-types';
import type { LimitFunction } from 'p-limit';

import type { ToolLookup } from '../discovery/tool-lookup.js';
import type { PolicyGate } from '../policy/tool-policy.js';
import type { BudgetMeter } from './call-budget.js';
import type { CallLog } from './call-log.js';
import type { OpenCall } from './open-call.js';

/** Offers a person a link to log in at a server; resolves with whether it did. */
export type OfferLogin = (server: string) => Promise<boolean>;

/** What all calls of one proxy share. */
export interface ProxyParts {
  tools: ToolSource;
  policy: PolicyGate;
  budget: BudgetMeter;
  lookup: ToolLookup;
  log: CallLog;
  /** Lets as many calls run at once as the budget says. */
  turns: LimitFunction;
  /** How messages write tools. */
  form: ToolForm;
  /** What every call carries: whose it is. */
  origin: Pick<CallOptions, 'executionId' | 'caller'>;
  onCall: ((name: string) => void) | undefined;
  caller: Caller;
  approve: Approve | undefined;
  hook: CallHook | undefined;
  offerLogin: OfferLogin | undefined;
}

/** One call on its way through the steps, and what they have found out about it. */
export class ProxyCall {
  readonly record: OpenCall;
  /** The size of the result as JSON, once there is one. */
  resultBytes = 0;
  /** Why the hook wants a person to be asked; undefined if it does not. */
  askedByHook: string | undefined;
  #tool: ToolSchema | undefined;

  /** Name and arguments come from a program, so they may be of any type. */
  constructor(
    readonly parts: ProxyParts,
    readonly name: ToolName,
    readonly args: JsonObject,
    readonly signal: AbortSignal | undefined,
    readonly traceparent: string | undefined,
  ) {
    this.record = parts.log.open(name, args);
  }

  /** The tool of that name; the step `lookup` finds it. */
  get tool(): ToolSchema {
    if (!this.#tool) throw new Error('The step `lookup` comes before those that need the tool.');
    return this.#tool;
  }

  set tool(tool: ToolSchema) {
    this.#tool = tool;
    this.record.server = tool.server;
  }
}
