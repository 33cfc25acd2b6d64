import { type Caller, CodeExecutorError, embedder, type ToolSchema } from '@code-executor/contracts';

import { AskRules } from './ask-rules.js';
import { type ListNames, listNamesOfCaller, listNamesOfProgram } from './list-names.js';
import { checkAllowedTools, fullNames, maxNameChars, NamePatterns } from './name-patterns.js';
import type { ToolPolicy } from './operator-policy.js';
import { nearestName } from '../names/near-names.js';
import { quoteName, quoteValue } from '../quote.js';
import { serverOf } from '../names/tool-names.js';

interface ServerRule {
  server: string;
  prefix: string;
  allow: NamePatterns | undefined;
  deny: NamePatterns;
}

/** What the policy must know of a tool, once it has been found. */
type KnownTool = Pick<ToolSchema, 'server' | 'annotations'>;

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
  readonly #ceilings: readonly { key: string; tools: NamePatterns }[];
  /** The key that leaves only tools that read; undefined if none does. */
  readonly #readOnlyBy: string | undefined;
  readonly #asks: AskRules;
  readonly #rules: readonly ServerRule[];

  constructor({ caller = embedder, allowedTools, isDirect = false }: Asked, policy: ToolPolicy = {}) {
    if (allowedTools !== undefined) checkAllowedTools(allowedTools);
    if (allowedTools !== undefined && isDirect) {
      const problem = 'allowedTools is for programs; leave it out if a caller calls tools itself.';
      throw new CodeExecutorError('invalid_argument', problem);
    }
    const { allow, deny = [], ceiling, readOnly } = caller.policy ?? {};
    this.#names = isDirect ? listNamesOfCaller(caller) : listNamesOfProgram(caller);
    this.#isDirect = isDirect;
    this.#allowed = new NamePatterns(allowedTools ?? allow ?? policy.defaultAllowedTools ?? []);
    this.#callerAllows = allow && new NamePatterns(allow);
    this.#callerDenies = new NamePatterns(deny);
    this.#ceilings = [
      { key: 'policy.ceiling', entries: policy.ceiling },
      { key: this.#names.ceiling, entries: ceiling },
    ].flatMap(({ key, entries }) => (entries ? [{ key, tools: new NamePatterns(entries) }] : []));
    this.#readOnlyBy = policy.readOnly ? 'policy.readOnly' : readOnly ? this.#names.readOnly : undefined;
    this.#asks = new AskRules(caller, policy);
    this.#rules = Object.entries(policy.servers ?? {}).map(([server, { allow, deny }]) => ({
      server,
      prefix: `mcp__${server}__`,
      allow: allow && new NamePatterns(fullNames(server, allow)),
      deny: new NamePatterns(fullNames(server, deny ?? [])),
    }));
  }

  /** The servers that the policy has rules for. */
  get servers(): string[] {
    return this.#rules.map(({ server }) => server);
  }

  /**
   * Throws `permission_denied` unless the name may be called. `tool` is the tool, once it has been found; until
   * then the error names the server of the `others`, or of the policy's own, that the name begins with.
   */
  check(name: unknown, tool?: KnownTool, others: Iterable<string> = []): asserts name is string {
    const refusal = this.#refusal(name, tool);
    if (refusal === undefined) return;
    if (typeof name !== 'string') throw new CodeExecutorError('permission_denied', refusal);
    const owner = tool?.server ?? serverOf(name, [...this.servers, ...others]);
    throw new CodeExecutorError('permission_denied', refusal, {
      tool: name.slice(0, maxNameChars),
      ...(owner !== undefined && { server: owner }),
    });
  }

  /** The rule that wants a person to agree to each call of the tool; undefined if none does. */
  askedBy({ name, server }: ToolSchema): string | undefined {
    return this.#asks.keyFor(name, server);
  }

  /** What has to be changed in the server's policy before the caller may call the tool; undefined if nothing. */
  barredBy(tool: ToolSchema): string | undefined {
    const { name, server } = tool;
    const rule = this.#forbiddenBy(name, tool);
    return rule ?? (this.#isDirect && !matches(this.#allowed, name, server) ? this.#names.list : undefined);
  }

  /** The rule that forbids the tool, whatever the caller allowed; undefined if none does. */
  #forbiddenBy(name: string, tool: KnownTool | undefined): string | undefined {
    const server = tool?.server;
    const ceiling = this.#ceilings.find(({ tools }) => !matches(tools, name, server));
    if (ceiling) return ceiling.key;
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
    return tool && tool.annotations?.readOnlyHint !== true ? this.#readOnlyBy : undefined;
  }

  #refusal(name: unknown, tool: KnownTool | undefined): string | undefined {
    if (typeof name !== 'string') return `The name of a tool must be a string, not ${quoteValue(name)}.`;
    const subject = `Tool ${quoteName(name)}`;
    if (name.length > maxNameChars) {
      return `${subject} has a name of ${name.length} characters, and no tool has more than ${maxNameChars}.`;
    }
    const isAllowed = matches(this.#allowed, name, tool?.server);
    if (!isAllowed && !name.startsWith('mcp__')) {
      return `${subject} is not the full name of one; full names are mcp__<server>__<tool>, as searches give them.`;
    }
    const rule = this.#forbiddenBy(name, tool);
    const forbidden = `the server's policy forbids it (${rule ?? ''})`;
    const { list } = this.#names;
    if (isAllowed) return rule === undefined ? undefined : `${subject} is in ${list}, but ${forbidden}.`;
    const others = this.#allowed.isEmpty ? ', which is empty' : ` (${this.#allowed.toString()})`;
    return rule === undefined
      ? `${subject} is not in ${list}${others}; ${this.#names.advise(this.#nearest(name))}`
      : `${subject} is not in ${list}${others}, and adding it would not help because ${forbidden}.`;
  }

  /** The name in the list that may have been meant; what its patterns stand for is not known here. */
  #nearest(name: string): string | undefined {
    if (!this.#isDirect) return undefined;
    const callable = this.#allowed.names.filter((each) => this.#refusal(each, undefined) === undefined);
    const near = nearestName(name, callable);
    return near === undefined ? undefined : quoteName(near);
  }
}

/** Whether a list lets the tool pass; until its server is known, whether it might. */
function matches(list: NamePatterns, name: string, server: string | undefined): boolean {
  return server === undefined ? list.mayMatch(name) : list.matches(name, server);
}
