import type { CallToolResult } from '@modelcontextprotocol/server';

import type { ToolOutcome } from '../tool.js';
import type { ClientQuirks } from './client-quirks.js';

/**
 * Makes an MCP result. Some clients show a model only the structured content and some only the text, so the text always
 * contains all of the structured content.
 */
export function toToolResult(
  { structured, isError, content = [], meta }: ToolOutcome,
  { dropsPictures, showsMetaOfErrors }: ClientQuirks = {},
): CallToolResult {
  return {
    // The SDK validates the blocks, which have a looser type elsewhere.
    content: [{ type: 'text', text: JSON.stringify(structured) }, ...(content as CallToolResult['content'])],
    ...(!(dropsPictures && content.length > 0) && { structuredContent: { ...structured } }),
    isError,
    ...(meta && !(showsMetaOfErrors && isError) && { _meta: meta }),
  };
}
