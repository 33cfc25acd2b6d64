/**
 * A client of a server that calls tools for it. Unlike a program, whose execution was asked for with a list of
 * tools, it cannot choose what it may call: that is for the operator to say, in `http.clients.<id>.policy`.
 */
export interface ToolClient {
  id: string;
  /** What it may call, instead of the policy's default; names and globs as there. */
  allow?: readonly string[];
  /** What of that it may not call; default: nothing. */
  deny?: readonly string[];
}

/** Where a list of allowed tools stands, and what can be done about one that is not in it. */
export interface ListNames {
  list: string;
  /** Where a client's own `deny` stands. */
  deny: string;
  /** Follows "Tool x is not in the list". */
  advise(nearest: string | undefined): string;
}

/** For a program, which was given the list; it has no `deny`. */
const ofProgram: ListNames = {
  list: 'allowedTools',
  deny: '',
  advise: () => 'add it, or the name of its server, or call only what is there.',
};

/** In the words of the configuration. */
export function listNamesOf(client: ToolClient | 'anyone' | undefined): ListNames {
  if (client === undefined) return ofProgram;
  const policy = client === 'anyone' ? '' : `http.clients.${client.id}.policy`;
  const hasOwn = client !== 'anyone' && client.allow !== undefined;
  const list = hasOwn ? `${policy}.allow` : 'policy.defaultAllowedTools';
  const places = hasOwn || client === 'anyone' ? 'there' : `there or to ${policy}.allow`;
  return {
    list,
    deny: `${policy}.deny`,
    advise: (nearest) =>
      nearest === undefined
        ? `have the operator add it ${places}, or call only what is there.`
        : `did you mean ${nearest}? Else have the operator add it ${places}.`,
  };
}
