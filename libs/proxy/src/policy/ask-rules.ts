import { type ApprovalRequest, type Caller, matchesGlob } from '@code-executor/contracts';

import { policyKeyOf } from './list-names.js';
import { fullNames, NamePatterns } from './name-patterns.js';
import type { ToolPolicy } from './operator-policy.js';

/** Which calls a person has to agree to: those that the operator's policy names, and those that the caller's own does. */
export class AskRules {
  readonly #rules: readonly { key: string; tools: NamePatterns }[];

  constructor(caller: Caller, policy: ToolPolicy) {
    const ofServers = Object.entries(policy.servers ?? {}).flatMap(([server, { ask = [] }]) =>
      ruleOf(`policy.servers.${server}.ask`, fullNames(server, ask)),
    );
    this.#rules = [...ofServers, ...ruleOf(callerKeyOf(caller), caller.policy?.ask)];
  }

  /** The key of the rule that wants a person to be asked about the tool; undefined if none does. */
  keyFor(name: string, server: string): string | undefined {
    return this.#rules.find(({ tools }) => tools.matches(name, server))?.key;
  }
}

/**
 * Whom a program of one of the product's own tools needs: a person, if `policy.ask` or the caller's own `ask` names the
 * tool; undefined if nobody has to agree.
 */
export function approvalFor(
  toolName: string,
  policy: Pick<ToolPolicy, 'ask'> | undefined,
  caller: Caller,
): Pick<ApprovalRequest, 'toolName' | 'why'> | undefined {
  const rules = [
    { key: 'policy.ask', patterns: policy?.ask },
    { key: callerKeyOf(caller), patterns: caller.policy?.ask },
  ];
  const rule = rules.find(({ patterns }) => patterns?.some((pattern) => matchesGlob(pattern, toolName)));
  return rule && { toolName, why: rule.key };
}

function ruleOf(key: string, patterns: readonly string[] = []): { key: string; tools: NamePatterns }[] {
  return patterns.length > 0 ? [{ key, tools: new NamePatterns(patterns) }] : [];
}

function callerKeyOf(caller: Caller): string {
  return `${policyKeyOf(caller)}.ask`;
}
