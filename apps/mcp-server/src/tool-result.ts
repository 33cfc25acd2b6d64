import type { ContentBlock } from '@code-executor/contracts';

import type { ClientQuirks } from './client-quirks.js';
import type { ToolOutcome } from './tool.js';

/** An MCP `CallToolResult`. */
export interface WireToolResult {
  [key: string]: unknown;
  content: ContentBlock[];
  structuredContent?: Record<string, unknown>;
  isError: boolean;
  _meta?: Record<string, unknown>;
}

/**
 * Makes an MCP result. Some clients show a model only the structured content and some only the text, so the text always
 * contains all of the structured content.
 */
export function toToolResult(
  { structured, isError, content = [], meta }: ToolOutcome,
  { dropsPictures, showsMetaOfErrors }: ClientQuirks = {},
): WireToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(structured) }, ...content],
    ...(!(dropsPictures && content.length > 0) && { structuredContent: { ...structured } }),
    isError,
    ...(meta && !(showsMetaOfErrors && isError) && { _meta: meta }),
  };
}
