import type { ToolSchema } from '@code-executor/contracts';
import type { ToolForm } from '@code-executor/schema-types';

/** Hits that were made of tools in each form. They are kept as long as the tool objects live. */
export type Kept<Hit> = WeakMap<ToolForm, WeakMap<ToolSchema, Hit>>;

/** The hit of a tool in a form, which is made if it is not kept. */
export function kept<Hit>(hits: Kept<Hit>, form: ToolForm, tool: ToolSchema, make: () => Hit): Hit {
  let ofForm = hits.get(form);
  if (ofForm === undefined) hits.set(form, (ofForm = new WeakMap()));
  let hit = ofForm.get(tool);
  if (hit === undefined) ofForm.set(tool, (hit = make()));
  return hit;
}
