import { type Caller, CodeExecutorError, embedder } from '@code-executor/contracts';

import { type ListNames, listNamesOfCaller, listNamesOfProgram } from './list-names.js';
import { checkAllowedTools, maxNameChars, NamePatterns } from './name-patterns.js';
import { nearestName } from '../names/near-names.js';
import { quoteName, quoteValue } from '../quote.js';
import { serverOf } from '../names/tool-names.js';

/**
 * What the server's operator lets executions call. An entry is an exact name, a pattern with `*` for any characters, or
 * the name of a server, which stands for all of its tools.
 */
export interface ToolPolicy {
  /** The most that any execution may call, as full tool names; default: no ceiling. `[]` forbids every tool. */
  ceiling?: readonly string[];
  /** What an execution without `allowedTools` may call; default: nothing. */
  defaultAllowedTools?: readonly string[];
  /**
   * Rules per server, whose entries are a tool's own name or, beginning with `mcp__`, its full one; `deny` wins over
   * `allow`. A person has to agree to each call of the tools in `ask`.
   */
  servers?: Record<string, ServerPolicy>;
}

export interface ServerPolicy {
  allow?: readonly string[];
  deny?: readonly string[];
  ask?: readonly string[];
}

interface ServerRule {
  server: string;
  prefix: string;
  allow: NamePatterns | undefined;
  deny: NamePatterns;
  ask: NamePatterns;
}

/** Who wants to call tools, and which. */
export interface Asked {
  /** Default: the program that uses this library. */
  caller?: Caller | undefined;
  /** What the caller's program asks for. Default: what the caller's policy allows, or else what the operator's policy gives to all. */
  allowedTools?: readonly string[] | undefined;
  /** Whether the caller calls tools itself, not through a program. Default: false. */
  isDirect?: boolean | undefined;
}

/**
 * The allowlist. Decides which tools may be called: those that are asked for, that the caller's policy allows, and
 * that the operator's policy permits.
 */
export class PolicyGate {
  readonly #names: ListNames;
  readonly #isDirect: boolean;
  readonly #allowed: NamePatterns;
  readonly #callerAllows: NamePatterns | undefined;
  readonly #callerDenies: NamePatterns;
  readonly #ceiling: NamePatterns | undefined;
  readonly #rules: readonly ServerRule[];

  constructor({ caller = embedder, allowedTools, isDirect = false }: Asked, policy: ToolPolicy = {}) {
    if (allowedTools !== undefined) checkAllowedTools(allowedTools);
    if (allowedTools !== undefined && isDirect) {
      const problem = 'allowedTools is for programs; leave it out if a caller calls tools itself.';
      throw new CodeExecutorError('invalid_argument', problem);
    }
    const { allow, deny = [] } = caller.policy ?? {};
    this.#names = isDirect ? listNamesOfCaller(caller) : listNamesOfProgram(caller);
    this.#isDirect = isDirect;
    this.#allowed = new NamePatterns(allowedTools ?? allow ?? policy.defaultAllowedTools ?? []);
    this.#callerAllows = allow && new NamePatterns(allow);
    this.#callerDenies = new NamePatterns(deny);
    this.#ceiling = policy.ceiling && new NamePatterns(policy.ceiling);
    this.#rules = Object.entries(policy.servers ?? {}).map(([server, { allow, deny, ask }]) => ({
      server,
      prefix: `mcp__${server}__`,
      allow: allow && new NamePatterns(fullNames(server, allow)),
      deny: new NamePatterns(fullNames(server, deny ?? [])),
      ask: new NamePatterns(fullNames(server, ask ?? [])),
    }));
  }

  /** The servers that the policy has rules for. */
  get servers(): string[] {
    return this.#rules.map(({ server }) => server);
  }

  /**
   * Throws `permission_denied` unless the name may be called. `server` is its server, once known; until
   * then the error names the one of the `others`, or of the policy's own, that the name begins with.
   */
  check(name: unknown, server?: string, others: Iterable<string> = []): asserts name is string {
    const refusal = this.#refusal(name, server);
    if (refusal === undefined) return;
    if (typeof name !== 'string') throw new CodeExecutorError('permission_denied', refusal);
    const owner = server ?? serverOf(name, [...this.servers, ...others]);
    throw new CodeExecutorError('permission_denied', refusal, {
      tool: name.slice(0, maxNameChars),
      ...(owner !== undefined && { server: owner }),
    });
  }

  /** Whether the name may be called. */
  permits(name: string, server?: string): boolean {
    return this.#refusal(name, server) === undefined;
  }

  /** The rule that wants a person to agree to each call of the tool; undefined if none does. */
  askedBy(name: string, server: string): string | undefined {
    const rule = this.#rules.find(({ ask }) => ask.matches(name, server));
    return rule && `policy.servers.${rule.server}.ask`;
  }

  /** What has to be changed in the server's policy before the caller may call the tool; undefined if nothing. */
  barredBy(name: string, server?: string): string | undefined {
    const rule = this.#forbiddenBy(name, server);
    return rule ?? (this.#isDirect && !matches(this.#allowed, name, server) ? this.#names.list : undefined);
  }

  /** The rule that forbids the tool, whatever the caller allowed; undefined if none does. */
  #forbiddenBy(name: string, server?: string): string | undefined {
    if (this.#ceiling && !matches(this.#ceiling, name, server)) return 'policy.ceiling';
    if (this.#callerDenies.matches(name, server)) return this.#names.deny;
    // If the list is the caller's own, the check of the list itself refuses a tool that is not in it.
    if (this.#callerAllows && this.#names.list !== this.#names.allow) {
      if (!matches(this.#callerAllows, name, server)) return this.#names.allow;
    }
    for (const rule of this.#rules) {
      // `mcp__a__b__c` can be read as `b__c` of server a and `c` of server a__b, and every reading must pass.
      const isRead = name.startsWith(rule.prefix);
      if (!isRead && rule.server !== server) continue;
      if (!isRead || rule.deny.matches(name, server)) return `policy.servers.${rule.server}.deny`;
      if (rule.allow && !rule.allow.matches(name, server)) return `policy.servers.${rule.server}.allow`;
    }
    return undefined;
  }

  #refusal(name: unknown, server: string | undefined): string | undefined {
    if (typeof name !== 'string') return `The name of a tool must be a string, not ${quoteValue(name)}.`;
    const tool = `Tool ${quoteName(name)}`;
    if (name.length > maxNameChars) {
      return `${tool} has a name of ${name.length} characters, and no tool has more than ${maxNameChars}.`;
    }
    const isAllowed = matches(this.#allowed, name, server);
    if (!isAllowed && !name.startsWith('mcp__')) {
      return `${tool} is not the full name of one; full names are mcp__<server>__<tool>, as searches give them.`;
    }
    const rule = this.#forbiddenBy(name, server);
    const forbidden = `the server's policy forbids it (${rule ?? ''})`;
    const { list } = this.#names;
    if (isAllowed) return rule === undefined ? undefined : `${tool} is in ${list}, but ${forbidden}.`;
    const others = this.#allowed.isEmpty ? ', which is empty' : ` (${this.#allowed.toString()})`;
    return rule === undefined
      ? `${tool} is not in ${list}${others}; ${this.#names.advise(this.#nearest(name))}`
      : `${tool} is not in ${list}${others}, and adding it would not help because ${forbidden}.`;
  }

  /** The name in the list that may have been meant; what its patterns stand for is not known here. */
  #nearest(name: string): string | undefined {
    if (!this.#isDirect) return undefined;
    const callable = this.#allowed.names.filter((each) => this.permits(each));
    const near = nearestName(name, callable);
    return near === undefined ? undefined : quoteName(near);
  }
}

/** Whether a list lets the tool pass; until its server is known, whether it might. */
function matches(list: NamePatterns, name: string, server: string | undefined): boolean {
  return server === undefined ? list.mayMatch(name) : list.matches(name, server);
}

/** The entries of a server's rules, all as patterns of full names. */
function fullNames(server: string, entries: readonly string[]): string[] {
  return entries.map((entry) => (entry.startsWith('mcp__') ? entry : `mcp__${server}__${entry}`));
}
