import { plainContent, type ToolResult } from '@code-executor/contracts';
import { maxJsonDepth, meterJson } from '@code-executor/pipes';

/** What parsing a text may cost, as `JsonMeter` measures it: as much as the message that brought it. */
const maxTextCost = 32 * 1024 * 1024;

/**
 * The plain value that a client gets from a tool: structured content if there is any, else the text parsed as
 * JSON, else the text, else the content blocks as they came. A text that would be too expensive to parse stays one.
 */
export function unwrapToolResult(result: ToolResult): unknown {
  const plain = plainContent(result);
  return typeof plain === 'string' ? parseText(plain) : plain;
}

/** How JSON begins. Most texts are not JSON, and an exception takes ten times as long to show that. */
const jsonStart = /^[ \t\r\n]*[[{"\-\dtfn]/;

function parseText(text: string): unknown {
  if (!jsonStart.test(text)) return text;
  const { cost, depth } = meterJson(text);
  if (cost > maxTextCost || depth > maxJsonDepth) return text;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  // "12345678901234567890" or "1.10" would lose digits as a number: keep the text.
  return typeof value === 'number' && String(value) !== text.trim() ? text : value;
}
