import type { ToolResult } from './tool.js';

/**
 * The plain value that sandboxed code gets from a tool: structured content if there is any, else the
 * text parsed as JSON, else the text, else the content blocks as they came. Several text blocks are
 * joined by newlines; any other block keeps the whole list.
 */
export function unwrapToolResult(result: ToolResult): unknown {
  if (result.structuredContent !== undefined) return result.structuredContent;
  const texts = result.content.map((block) => (block.type === 'text' ? block['text'] : undefined));
  if (texts.length === 0 || !texts.every((text) => typeof text === 'string')) return result.content;
  return parseText(texts.join('\n'));
}

/** How JSON begins. Most texts are none, and finding that out by an exception takes ten times as long. */
const jsonStart = /^[ \t\r\n]*[[{"\-\dtfn]/;

function parseText(text: string): unknown {
  if (!jsonStart.test(text)) return text;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  // "12345678901234567890" or "1.10" would lose digits as a number: keep the text.
  return typeof value === 'number' && String(value) !== text.trim() ? text : value;
}
