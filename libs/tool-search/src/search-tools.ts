import type { ToolSchema } from '@code-executor/contracts';

import { ToolIndex, type ToolMatch } from './tool-index.js';

/** Which part of the matches is wanted. */
export interface SearchOptions {
  /** At most this many; default: all. */
  limit?: number;
  /** Skips this many of the best; default 0. */
  offset?: number;
}

const indexes = new WeakMap<readonly ToolSchema[], Promise<ToolIndex>>();
/** By the first tool of an array, the last such array with an index of its own. */
const lastBeginningWith = new WeakMap<ToolSchema, readonly ToolSchema[]>();

/**
 * The tools that answer a query in words, best first; equal ones by name. A tool is found by any word of the query, so
 * a wrong word does not hide what the others find. A query without words finds nothing.
 *
 * The first search in an array makes an index, which lasts as long as the array: pass the same one again, or
 * another of the same objects, and do not change it. A large one takes a while to make, but does not hold
 * up other work. Only the first 10,000 tools are searched, by the first 1,000 characters and 32 words of the query; of
 * the different words outside names, 200,000 are kept, or 20,000 for each server if that is more.
 */
export async function searchTools(
  tools: readonly ToolSchema[],
  query: string,
  { limit, offset = 0 }: SearchOptions = {},
): Promise<ToolMatch[]> {
  const start = Math.max(0, offset);
  const index = await indexOf(tools);
  return index.search(query).slice(start, limit === undefined ? undefined : start + Math.max(0, limit));
}

function indexOf(tools: readonly ToolSchema[]): Promise<ToolIndex> {
  let index = indexes.get(tools);
  if (index) return index;
  const [first] = tools;
  const last = first && lastBeginningWith.get(first);
  if (last && areSame(last, tools)) index = indexes.get(last);
  else if (first) lastBeginningWith.set(first, tools);
  index ??= ToolIndex.of(tools);
  indexes.set(tools, index);
  return index;
}

/** Whether both arrays have the same tools; a source that narrows a list makes a new array each time. */
function areSame(a: readonly ToolSchema[], b: readonly ToolSchema[]): boolean {
  return a.length === b.length && a.every((tool, at) => tool === b[at]);
}
