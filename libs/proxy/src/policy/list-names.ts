import type { Caller } from '@code-executor/contracts';

/** The names of the lists that decide what may be called, and what can be done about a tool that is not in them. */
export interface ListNames {
  /** The list that the caller or its program chose, or was given. */
  list: string;
  /** What the caller may call at most. */
  allow: string;
  /** What the caller may not call. */
  deny: string;
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

function policyNamesOf({ kind, id }: Caller): Pick<ListNames, 'allow' | 'deny'> {
  const policy = kind === 'http' ? `http.clients.${id}.policy` : 'caller.policy';
  return { allow: `${policy}.allow`, deny: `${policy}.deny` };
}
