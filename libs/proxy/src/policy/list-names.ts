import type { Caller } from '@code-executor/contracts';

/** The names of the lists that decide what may be called, and what can be done about a tool that is not in them. */
export interface ListNames {
  /** The list that the caller or its program chose, or was given. */
  list: string;
  /** What the caller may call at most. */
  allow: string;
  /** What the caller may not call. */
  deny: string;
  /** What it may call at most, whatever else it is allowed. */
  ceiling: string;
  /** The switch that leaves it only tools that read. */
  readOnly: string;
  /** Follows "Tool x is not in the list". */
  advise(nearest: string | undefined): string;
}

/** For a program, which was given `allowedTools`: its author can add a tool to them. */
export function listNamesOfProgram(caller: Caller): ListNames {
  return {
    ...policyNamesOf(caller),
    list: 'allowedTools',
    advise: () => 'add it, or the name of its server, or call only what is there.',
  };
}

/** For a caller that calls tools itself and cannot choose what it may call: as the configuration names the lists. */
export function listNamesOfCaller(caller: Caller): ListNames {
  const names = policyNamesOf(caller);
  const { policy } = caller;
  const list = policy?.allow ? names.allow : 'policy.defaultAllowedTools';
  const places = policy && !policy.allow ? `there or to ${names.allow}` : 'there';
  return {
    ...names,
    list,
    advise: (nearest) =>
      nearest === undefined
        ? `have the operator add it ${places}, or call only what is there.`
        : `did you mean ${nearest}? Otherwise have the operator add it ${places}.`,
  };
}

/** The key of a caller's own policy. */
export function policyKeyOf({ kind, id }: Caller): string {
  return kind === 'http' ? `http.clients.${id}.policy` : 'caller.policy';
}

function policyNamesOf(caller: Caller): Omit<ListNames, 'list' | 'advise'> {
  const policy = policyKeyOf(caller);
  return {
    allow: `${policy}.allow`,
    deny: `${policy}.deny`,
    ceiling: `${policy}.ceiling`,
    readOnly: `${policy}.readOnly`,
  };
}
