import type { Language, ListDetail, ToolHit, ToolSchema } from '@code-executor/contracts';
import { toolSignature, toolTypes } from '@code-executor/schema-types';

/** Longest description where there is one line for each tool. */
const maxLineChars = 160;
/** Upstream texts are not read further than this to find that line. */
const maxReadChars = 1000;

type Kept<Hit> = Record<Language, WeakMap<ToolSchema, Hit>>;

/** Executions get the same tools from their source: signatures cost a lot, and who writes hits out keeps their texts. */
const lines: Kept<ToolHit & { signature: string }> = { typescript: new WeakMap(), python: new WeakMap() };
const wholes: Kept<ToolHit> = { typescript: new WeakMap(), python: new WeakMap() };

/**
 * What a listing says of a tool in a detail, for a program in a language; with the score of a search, and why
 * it cannot be called where the source does not know. Without those two, signatures and `full` are the same
 * objects each time.
 */
export function toolHit(
  tool: ToolSchema,
  detail: ListDetail,
  language: Language,
  score?: number,
  refusal?: ToolSchema['unavailable'],
): ToolHit {
  const plain = plainHit(tool, detail, language);
  if (score === undefined && refusal === undefined) return plain;
  return {
    ...plain,
    ...(score !== undefined && { score: Math.round(score * 100) / 100 }),
    ...(refusal && { unavailable: refusal }),
  };
}

function plainHit(tool: ToolSchema, detail: ListDetail, language: Language): ToolHit {
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
    ...(description && { description: oneLine(description) }),
    signature: toolSignature(tool, language),
    ...(unavailable && { unavailable }),
  }));
}

function kept<Hit>(hits: WeakMap<ToolSchema, Hit>, tool: ToolSchema, make: () => Hit): Hit {
  let hit = hits.get(tool);
  if (hit === undefined) hits.set(tool, (hit = make()));
  return hit;
}

/** The first sentence of a text, on one line. */
function oneLine(text: string): string {
  const start = text.slice(0, maxReadChars).trim();
  const end = /[.!?](?=\s)|[\r\n]/u.exec(start);
  const sentence = (end ? start.slice(0, end.index + 1) : start).trim();
  const characters = Array.from(sentence.replace(/\s+/gu, ' '));
  if (characters.length <= maxLineChars) return characters.join('');
  return `${characters.slice(0, maxLineChars - 1).join('')}…`;
}
