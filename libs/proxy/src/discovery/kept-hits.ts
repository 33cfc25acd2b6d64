import type { ToolSchema } from '@code-executor/contracts';
import type { ToolForm } from '@code-executor/schema-types';

/** What was made of tools before in each form, as long as they live. */
export type Kept<Hit> = WeakMap<ToolForm, WeakMap<ToolSchema, Hit>>;

/** What is kept of a tool in a form, or made now. */
export function kept<Hit>(hits: Kept<Hit>, form: ToolForm, tool: ToolSchema, make: () => Hit): Hit {
  let ofForm = hits.get(form);
  if (ofForm === undefined) hits.set(form, (ofForm = new WeakMap()));
  let hit = ofForm.get(tool);
  if (hit === undefined) ofForm.set(tool, (hit = make()));
  return hit;
}
