import type { ToolResult } from './tool.js';

/**
 * The plain value of a tool's result: structured content if there is any, else the text, else the content blocks as they
 * came. Several text blocks are joined by newlines; any other block keeps the whole list. The text is not parsed,
 * because parsing should take the time and memory of the code that needs it.
 */
export function plainContent(result: ToolResult): unknown {
  if (result.structuredContent !== undefined) return result.structuredContent;
  const texts = result.content.map((block) => (block.type === 'text' ? block['text'] : undefined));
  if (texts.length === 0 || !texts.every((text) => typeof text === 'string')) return result.content;
  return texts.join('\n');
}
