import type { Language, ToolSchema } from '@code-executor/contracts';

/** What was made of tools before, as long as they live. */
export type Kept<Hit> = Record<Language, WeakMap<ToolSchema, Hit>>;

/** What is kept of a tool, or made now. */
export function kept<Hit>(hits: WeakMap<ToolSchema, Hit>, tool: ToolSchema, make: () => Hit): Hit {
  let hit = hits.get(tool);
  if (hit === undefined) hits.set(tool, (hit = make()));
  return hit;
}
