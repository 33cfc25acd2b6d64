import type { ToolSchema } from '@code-executor/contracts';

import type { ConnectFailure } from '../connection/connect-failure.js';
import { possibleOwners } from './tool-names.js';
import type { KnownTools, UnknownTools } from './server-tools.js';

type List = KnownTools | UnknownTools;

/** The lists of several servers as one: each name once, in the order of the servers, then by name. */
export class MergedLists {
  /** The last list of all servers, and the lists it was made of. */
  #whole: { lists: readonly List[]; tools: ToolSchema[] } | undefined;

  /** The lists of all servers, in the order of their names: the same array as long as the lists are the same. */
  whole(lists: readonly List[], names: readonly string[]): ToolSchema[] {
    if (!this.#whole || !isSame(this.#whole.lists, lists)) {
      this.#whole = { lists, tools: this.merge(lists, names) };
    }
    return this.#whole.tools;
  }

  /** The lists of some servers; `names` are those of all. */
  merge(lists: readonly List[], names: readonly string[]): ToolSchema[] {
    const ranks = new Map(names.map((name, rank) => [name, rank]));
    const rankOf = ({ server }: ToolSchema) => ranks.get(server) ?? 0;
    const merged = new Map<string, ToolSchema>();
    for (const { tools } of lists) for (const tool of tools?.values() ?? []) keepCallable(merged, tool);
    for (const list of lists) if (!list.tools) markAmbiguous(merged, list.failure);
    return [...merged.values()].sort((a, b) => rankOf(a) - rankOf(b) || (a.name < b.name ? -1 : 1));
  }
}

/** Keeps, of two tools with one name, the one that a call would reach. */
function keepCallable(merged: Map<string, ToolSchema>, tool: ToolSchema): void {
  const other = merged.get(tool.name);
  if (!other || other.server.length < tool.server.length) merged.set(tool.name, tool);
}

/** Marks tools whose name may be that of a tool of a server that could not be listed: calls to them are refused. */
function markAmbiguous(merged: Map<string, ToolSchema>, { server, message, fix }: ConnectFailure): void {
  for (const [name, tool] of merged) {
    if (possibleOwners(name, [{ name: server }]).length === 0 || tool.server.length > server.length) continue;
    const reason = `its name may be that of a tool of server ${server}, which is unavailable: ${message}`;
    merged.set(name, { ...tool, unavailable: { reason, fix } });
  }
}

/** The same lists in the same order, and the same servers without one. */
function isSame(some: readonly List[], others: readonly List[]): boolean {
  const isLike = (one: List, other: List | undefined) =>
    one.tools === other?.tools && (one.tools !== undefined || one.failure === other?.failure);
  return some.length === others.length && some.every((one, i) => isLike(one, others[i]));
}
