import type { ToolSchema } from '@code-executor/contracts';

import type { ConnectFailure } from '../connection/connect-failure.js';
import { possibleOwners } from './tool-names.js';
import type { KnownTools, UnknownTools } from '../upstream-server.js';

type List = KnownTools | UnknownTools;

/** The lists of several servers as one: each name once, in the order of the servers, then by name. */
export class MergedLists {
  #ranks: ReadonlyMap<string, number> = new Map();
  /** The last whole list, and what it was made of. */
  #whole: { lists: readonly List[]; tools: ToolSchema[] } | undefined;

  /** The names of the servers. */
  set order(servers: readonly string[]) {
    this.#ranks = new Map(servers.map((server, rank) => [server, rank]));
  }

  /** The lists of all servers: the same array as long as they are the same. */
  whole(lists: readonly List[]): ToolSchema[] {
    if (!this.#whole || !isSame(this.#whole.lists, lists)) this.#whole = { lists, tools: this.merge(lists) };
    return this.#whole.tools;
  }

  merge(lists: readonly List[]): ToolSchema[] {
    const merged = new Map<string, ToolSchema>();
    for (const { tools } of lists) for (const tool of tools?.values() ?? []) keepRightful(merged, tool);
    for (const list of lists) if (!list.tools) markUnclear(merged, list.failure);
    return [...merged.values()].sort((a, b) => this.#rank(a) - this.#rank(b) || (a.name < b.name ? -1 : 1));
  }

  #rank(tool: ToolSchema): number {
    return this.#ranks.get(tool.server) ?? 0;
  }
}

/** Of two tools under one name, the one that a call would reach. */
function keepRightful(merged: Map<string, ToolSchema>, tool: ToolSchema): void {
  const other = merged.get(tool.name);
  if (!other || other.server.length < tool.server.length) merged.set(tool.name, tool);
}

/** A tool whose name may be that of a tool of a server that could not be listed: a call to it is refused. */
function markUnclear(merged: Map<string, ToolSchema>, { server, message, fix }: ConnectFailure): void {
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
