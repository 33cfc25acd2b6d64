import type { Language, ListDetail, ToolHit, ToolSchema } from '@code-executor/contracts';
import { toolSignature, toolTypes } from '@code-executor/schema-types';

import { firstSentence } from './first-sentence.js';
import { kept, type Kept } from './kept-hits.js';

/** Longest description where there is one line for each tool. */
const maxLineChars = 160;

/** Executions get the same tools from their source: signatures cost a lot, and who writes hits out keeps their texts. */
const lines: Kept<ToolHit & { signature: string }> = { typescript: new WeakMap(), python: new WeakMap() };
const wholes: Kept<ToolHit> = { typescript: new WeakMap(), python: new WeakMap() };

/** Those of one tool that depend on no other. */
export type ToolDetail = Exclude<ListDetail, 'brief'>;

/** What a listing says of a tool in a detail, for a program in a language; signatures and `full` are the same objects each time. */
export function toolHit(tool: ToolSchema, detail: ToolDetail, language: Language): ToolHit {
  const { name, unavailable } = tool;
  switch (detail) {
    case 'names':
      return { name, ...(unavailable && { unavailable }) };
    case 'signatures':
      return lineOf(tool, language);
    case 'types':
      return { name, types: toolTypes([tool], language), ...(unavailable && { unavailable }) };
    case 'schemas':
      return tool;
    case 'full':
      return kept(wholes[language], tool, () => ({ ...tool, signature: lineOf(tool, language).signature }));
  }
}

function lineOf(tool: ToolSchema, language: Language): ToolHit & { signature: string } {
  const { name, description, unavailable } = tool;
  return kept(lines[language], tool, () => ({
    name,
    ...(description && { description: firstSentence(description, maxLineChars) }),
    signature: toolSignature(tool, language),
    ...(unavailable && { unavailable }),
  }));
}
