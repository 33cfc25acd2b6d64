import type { ContentBlock, JsonObject, ToolResult } from '@code-executor/contracts';

import { isRecord } from '../json-record.js';

/** The whole answer of a server to a call; undefined if it is not a tool result. */
export function toToolResult(raw: Record<string, unknown>): ToolResult | undefined {
  const { content = [], structuredContent, isError, _meta } = raw;
  if (!Array.isArray(content) || !content.every(isContentBlock)) return undefined;
  const result: ToolResult = { content };
  if (isRecord(structuredContent)) result.structuredContent = structuredContent as JsonObject;
  if (typeof isError === 'boolean') result.isError = isError;
  if (isRecord(_meta)) result._meta = _meta as JsonObject;
  return result;
}

/** The result of a tool with the texts of an error reworded; a result that is not an error is data, and stays as it is. */
export function rewordError(result: ToolResult, reword: (text: string) => string): ToolResult {
  if (result.isError !== true) return result;
  const content = result.content.map((block) =>
    typeof block['text'] === 'string' ? { ...block, text: reword(block['text']) } : block,
  );
  return { ...result, content };
}

function isContentBlock(block: unknown): block is ContentBlock {
  return isRecord(block) && typeof block['type'] === 'string';
}
