import type { Language, ListDetail, ToolHit, ToolSchema } from '@code-executor/contracts';
import { toolSignature, toolTypes } from '@code-executor/schema-types';

/** Longest description where there is one line for each tool. */
const maxLineChars = 160;
/** Upstream texts are not read further than this to find that line. */
const maxReadChars = 1000;

/** Executions get the same tools from their source, and a signature costs more than the rest of a hit. */
const signatures = {
  typescript: new WeakMap<ToolSchema, string>(),
  python: new WeakMap<ToolSchema, string>(),
};

/**
 * What a listing says of a tool in a detail, for a program in a language; with the score of a search, and why
 * it cannot be called where the source does not know.
 */
export function toolHit(
  tool: ToolSchema,
  detail: ListDetail,
  language: Language,
  score?: number,
  unavailable = tool.unavailable,
): ToolHit {
  return {
    ...(detail === 'full' && tool),
    name: tool.name,
    ...(detail === 'signatures' && tool.description && { description: oneLine(tool.description) }),
    ...((detail === 'signatures' || detail === 'full') && { signature: signatureOf(tool, language) }),
    ...(detail === 'types' && { types: toolTypes([tool], language) }),
    ...(score !== undefined && { score: Math.round(score * 100) / 100 }),
    ...(unavailable && { unavailable }),
  };
}

function signatureOf(tool: ToolSchema, language: Language): string {
  let signature = signatures[language].get(tool);
  if (signature === undefined) {
    signature = toolSignature(tool, language);
    signatures[language].set(tool, signature);
  }
  return signature;
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
