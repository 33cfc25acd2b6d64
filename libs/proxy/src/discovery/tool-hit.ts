import type { ListDetail, ToolHit, ToolSchema } from '@code-executor/contracts';
import { type ToolForm, toolSignature } from '@code-executor/schema-types';

import { firstSentence } from './first-sentence.js';
import { kept, type Kept } from './kept-hits.js';

/** Longest description in listings with one line for each tool. */
const maxLineChars = 160;

/** Kept by tool, because executions get the same objects, signatures are expensive, and readers keep the JSON of hits. */
const lines: Kept<ToolHit & { signature: string }> = new WeakMap();
const wholes: Kept<ToolHit> = new WeakMap();

/** Those of one tool that depend on no other. */
export type ToolDetail = Exclude<ListDetail, 'brief'>;

/** What a listing says about a tool at a level of detail; for `signatures` and `full`, the same object each time. */
export function toolHit(tool: ToolSchema, detail: ToolDetail, form: ToolForm): ToolHit {
  const { name } = tool;
  switch (detail) {
    case 'names':
      return { name, ...stateOf(tool) };
    case 'signatures':
      return lineOf(tool, form);
    case 'types':
      return { name, types: form.types([tool]), ...stateOf(tool) };
    case 'schemas':
      return tool;
    case 'full':
      return kept(wholes, form, tool, () => ({ ...tool, signature: lineOf(tool, form).signature }));
  }
}

function lineOf(tool: ToolSchema, form: ToolForm): ToolHit & { signature: string } {
  const { name, description } = tool;
  return kept(lines, form, tool, () => ({
    name,
    ...(description && { description: firstSentence(description, maxLineChars) }),
    signature: toolSignature(tool, form),
    ...stateOf(tool),
  }));
}

/** What readers should know before they call the tool, however little the listing says about it. */
function stateOf({ unavailable, changed }: ToolSchema): Pick<ToolHit, 'unavailable' | 'changed'> {
  return { ...(unavailable && { unavailable }), ...(changed !== undefined && { changed }) };
}
