import {
  anySignal,
  type AuditSink,
  type Caller,
  type CallerEvent,
  type CallOptions,
  CodeExecutorError,
  embedder,
  type FailedServer,
  type JsonObject,
  type ListOptions,
  type ToolHit,
  type ToolListing,
  type ToolName,
  type ToolResult,
  type ToolSchema,
  type ToolSource,
  untilAborted,
} from '@code-executor/contracts';
import { type ToolForm, typeScriptForm } from '@code-executor/schema-types';
import { searchTools } from '@code-executor/tool-search';
import pLimit, { type LimitFunction } from 'p-limit';

import { checkArguments } from './arguments/argument-validator.js';
import { BudgetMeter, type CallBudget } from './calls/call-budget.js';
import { CallLog } from './calls/call-log.js';
import { endedBeforeAnswer, toFailure } from './calls/cancellation.js';
import { ToolLookup } from './discovery/tool-lookup.js';
import { describeMissing } from './discovery/describe-missing.js';
import { explainErrors } from './arguments/explain-errors.js';
import { quoteName, quoteValue } from './quote.js';
import { serverOf } from './names/tool-names.js';
import type { ToolCall } from './calls/tool-call.js';
import { toolHits } from './discovery/tool-hits.js';
import { PolicyGate, type ToolPolicy } from './policy/tool-policy.js';

export interface ToolProxyOptions {
  /** Where the tools come from. */
  tools: ToolSource;
  /**
   * What the execution may call: exact names, patterns with `*` (`mcp__github__get_*`), or servers (`github`).
   * Default: what the policy gives to everybody, and that is nothing unless it says so. `[]` is nothing.
   */
  allowedTools?: readonly string[];
  /** Who asks; its policy bounds what may be called. Default: the program that uses this library. */
  caller?: Caller;
  /**
   * Whether the caller calls tools itself, and not by a program: then it has no `allowedTools`, and refusals say what
   * the operator can change. Default: false.
   */
  isDirect?: boolean;
  /** What the server's operator permits; the caller can only narrow it. */
  policy?: ToolPolicy;
  budget?: CallBudget;
  /** How listings and errors write tools: that of the program's language. Default: TypeScript's. */
  form?: ToolForm;
  /**
   * Gets one event per call that was made, and of searches and of refused calls up to 100 of each kind; `tellOmitted`
   * tells it the number of the others. Its failures are ignored.
   */
  audit?: AuditSink<CallerEvent>;
  /** Named in the audit events, and in calls. */
  executionId?: string;
  /** The execution's: ends all calls and listings; `calls` has no running ones from that moment on. */
  signal?: AbortSignal;
  /** Given to calls, for a source that has to ask a person. */
  waitForPerson?: CallOptions['waitForPerson'];
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
   * Tells the audit how many searches and refused calls had no event of their own, one event per kind with
   * `action: 'omitted'` and `count`. Call it when the execution is over.
   */
  tellOmitted(): void;
}

/** The policy of one execution around a source; throws `invalid_argument` for malformed options. */
export function createToolProxy(options: ToolProxyOptions): ToolProxy {
  return new PolicyToolProxy(options);
}

class PolicyToolProxy implements ToolProxy {
  readonly #tools: ToolSource;
  readonly #signal: AbortSignal | undefined;
  readonly #onCall: ((name: string) => void) | undefined;
  readonly #form: ToolForm;
  readonly #policy: PolicyGate;
  readonly #budget: BudgetMeter;
  readonly #lookup: ToolLookup;
  readonly #log: CallLog;
  readonly #slots: LimitFunction;
  /** What every call carries: whose it is, and how it waits for a person. */
  readonly #origin: Pick<CallOptions, 'executionId' | 'caller' | 'waitForPerson'>;
  #joined: { given: AbortSignal | undefined; signal: AbortSignal | undefined } | undefined;

  constructor(options: ToolProxyOptions) {
    const { tools, policy, budget, audit, executionId, signal, onCall, caller, waitForPerson } = options;
    this.#tools = tools;
    this.#signal = signal;
    this.#onCall = onCall;
    this.#origin = {
      ...(caller && { caller }),
      ...(executionId !== undefined && { executionId }),
      ...(waitForPerson && { waitForPerson }),
    };
    this.#form = options.form ?? typeScriptForm;
    this.#policy = new PolicyGate(options, policy);
    this.#budget = new BudgetMeter(budget);
    this.#lookup = new ToolLookup(tools, signal);
    this.#log = new CallLog(audit, caller ?? embedder, executionId);
    this.#slots = pLimit(this.#budget.maxConcurrent);
    // At once, not when the calls come back: whoever fires it counts them next.
    signal?.addEventListener('abort', () => this.#log.failOpen(() => endedBeforeAnswer(signal.reason)), {
      once: true,
    });
  }

  get calls(): readonly ToolCall[] {
    return this.#log.calls;
  }

  get failedServers(): readonly FailedServer[] {
    return this.#lookup.failedServers;
  }

  tellOmitted(): void {
    this.#log.tellOmitted();
  }

  async listTools(options: ListOptions = {}): Promise<ToolListing<ToolHit>> {
    const { query = '', server, offset = 0, limit = Infinity, detail = 'full' } = options;
    const signal = this.#join(options.signal);
    try {
      signal?.throwIfAborted();
      const { tools, failedServers } = await this.#find(options, signal);
      // All of them, the same array each time: its index is made once.
      const matches: Match[] =
        query.trim() === ''
          ? tools.map((tool) => ({ tool }))
          : await untilAborted(searchTools(tools, query), signal);
      const wanted = inPercent(
        matches.filter(({ tool }) => server === undefined || tool.server === server),
      ).slice(offset, offset + limit);
      const refusalOf = (tool: ToolSchema) => this.#refusalOf(tool);
      const form = this.#form;
      const hits = await toolHits(wanted, { detail, form, failedServers, refusalOf, signal });
      // What looks tools up by name, or by path for a call, discovers nothing.
      if (options.name === undefined && detail !== 'schemas') {
        this.#log.found(query.trim(), server, hits.length);
      }
      return { tools: hits, failedServers: [...failedServers] };
    } catch (reason) {
      throw toFailure(reason, signal);
    }
  }

  async callTool(name: ToolName, args: JsonObject, options: CallOptions = {}): Promise<ToolResult> {
    const signal = this.#join(options.signal);
    const call = this.#log.open(name, args);
    try {
      signal?.throwIfAborted();
      // First: whoever adds a wrong name to a list is refused again.
      if (this.#lookup.lacks(name)) {
        this.#budget.takeCall();
        throw await this.#notFound(name, signal);
      }
      this.#policy.check(name, undefined, this.#lookup.servers);
      this.#budget.takeCall();
      const tool = await this.#getTool(name, signal);
      call.server = tool.server;
      this.#policy.check(name, tool.server);
      await this.#checkCall(tool, args, signal);
      const answer = this.#slots(async () => {
        signal?.throwIfAborted();
        // Results came in during the wait.
        this.#budget.checkBytes();
        call.begin();
        this.#announce(name);
        const { traceparent } = options;
        const result = await this.#tools.callTool(name, args, {
          ...this.#origin,
          // The one that was judged: which servers there are may change meanwhile.
          server: tool.server,
          ...(signal && { signal }),
          ...(traceparent !== undefined && { traceparent }),
          onStart: () => call.leftQueue(),
        });
        // Before the next call's turn comes.
        return { result, bytes: this.#budget.takeResult(result) };
      });
      const { result, bytes } = await untilAborted(answer, signal);
      call.succeed(result, bytes);
      return result;
    } catch (reason) {
      const failure = toFailure(reason, signal);
      call.fail(failure);
      throw failure;
    }
  }

  /** The caller's signal and the execution's as one. A sandbox gives the same one with every call, and joining costs. */
  #join(given: AbortSignal | undefined): AbortSignal | undefined {
    if (!this.#joined || this.#joined.given !== given) {
      this.#joined = { given, signal: anySignal(given, this.#signal) };
    }
    return this.#joined.signal;
  }

  #find(
    { name, server, untilReady = false }: Pick<ListOptions, 'name' | 'server' | 'untilReady'>,
    signal: AbortSignal | undefined,
  ): Promise<ToolListing> {
    if (name !== undefined) return this.#listOne(name, untilReady, signal);
    return server === undefined
      ? this.#lookup.list(signal)
      : this.#lookup.listServer(server, untilReady, signal);
  }

  /** Arguments that do not fit may fit what the server publishes by now. */
  async #checkCall(tool: ToolSchema, args: unknown, signal: AbortSignal | undefined): Promise<void> {
    const hints = { tool: tool.name, server: tool.server };
    if (typeof args !== 'object' || args === null || Array.isArray(args)) {
      const problem = `The arguments of ${quoteName(tool.name)} must be one object, not ${quoteValue(args)}.`;
      throw new CodeExecutorError('invalid_argument', problem, hints);
    }
    let current = tool;
    let errors = checkArguments(tool, args, this.#budget.checks);
    if (errors.length > 0) {
      current = (await this.#lookup.refresh(tool, signal)) ?? tool;
      if (current !== tool) errors = checkArguments(current, args, this.#budget.checks);
    }
    if (errors.length > 0) {
      throw new CodeExecutorError('invalid_argument', explainErrors(current, errors, this.#form), hints);
    }
  }

  async #listOne(name: string, untilReady: boolean, signal: AbortSignal | undefined): Promise<ToolListing> {
    const tool = await this.#lookup.find(name, untilReady, signal);
    if (tool) return { tools: [tool], failedServers: [] };
    const failure = this.#lookup.failureOf(name);
    return { tools: [], failedServers: failure ? [failure] : [] };
  }

  async #getTool(name: string, signal: AbortSignal | undefined): Promise<ToolSchema> {
    const tool = await this.#lookup.find(name, true, signal);
    if (tool) return tool;
    const failure = this.#lookup.failureOf(name);
    if (failure) {
      const { server, retryAfterMs } = failure;
      throw new CodeExecutorError(
        'unavailable',
        `Tool ${quoteName(name)} cannot be called, for its server ${quoteName(server)} is unavailable: ${textOf(failure)}`,
        { tool: name, server, ...(retryAfterMs !== undefined && { retryAfterMs }) },
      );
    }
    throw await this.#notFound(name, signal);
  }

  async #notFound(name: string, signal: AbortSignal | undefined): Promise<CodeExecutorError> {
    const { tools } = await this.#lookup.list(signal);
    const { servers } = this.#lookup;
    const owner = serverOf(name, [...this.#policy.servers, ...servers]);
    const callable = tools.filter((tool) => this.#policy.barredBy(tool.name, tool.server) === undefined);
    const problem = describeMissing(name, callable, [...servers]);
    return new CodeExecutorError('not_found', problem, {
      tool: name,
      ...(owner !== undefined && { server: owner }),
    });
  }

  /** Discovery shows every tool, and says where a call would be refused whatever the caller does. */
  #refusalOf({ name, server }: ToolSchema): ToolSchema['unavailable'] {
    const rule = this.#policy.barredBy(name, server);
    if (rule === undefined) return undefined;
    const reason = `The server's policy forbids this tool (${rule}).`;
    return { reason, fix: `Use another tool, or have the operator change ${rule}.` };
  }

  #announce(name: string): void {
    try {
      this.#onCall?.(name);
    } catch {
      // Whoever listens must not break the call.
    }
  }
}

/** A tool, and how well it answers a query if there is one. */
interface Match {
  tool: ToolSchema;
  score?: number;
}

/** Scores as whole numbers up to 100, the best tool's, and never 0; matches come best first. */
function inPercent(matches: readonly Match[]): Match[] {
  const best = matches[0]?.score ?? 1;
  return matches.map(({ tool, score }) =>
    score === undefined ? { tool } : { tool, score: Math.max(1, Math.round((100 * score) / best)) },
  );
}

/** What the source says of a failed server: upstream text in part, so bounded. */
function textOf({ reason, fix }: FailedServer): string {
  return `${reason.slice(0, 500).replace(/\.$/u, '')}. ${fix.slice(0, 500)}`;
}
