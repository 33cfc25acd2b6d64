import { CodeExecutorError } from '../error.js';
import type { JsonObject } from '../json.js';
import type { ContentBlock, ToolName, ToolResult, ToolSchema, ToolSource } from '../tool.js';

export interface RecordedCall {
  name: string;
  args: JsonObject;
}

/** What a fake tool may answer: a plain value becomes structured content or text, a result stays as it is. */
type FakeTool = (args: JsonObject) => unknown;

/**
 * A `ToolSource` in memory: one function per tool, under its full name. It records its calls.
 * A function that throws a `CodeExecutorError` rejects the call; any other throw is an `isError` result.
 */
export function fakeToolSource(
  tools: Record<string, FakeTool>,
  schemas: Record<string, Partial<ToolSchema>> = {},
): ToolSource & { calls: RecordedCall[] } {
  const listed = Object.keys(tools).map((name): ToolSchema => ({
    name: name as ToolName,
    server: name.split('__')[1] ?? 'fake',
    parameters: { type: 'object' },
    ...schemas[name],
  }));
  const calls: RecordedCall[] = [];
  return {
    calls,
    listTools(options = {}) {
      const words = options.query?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
      const matches = listed
        .filter((tool) => options.name === undefined || tool.name === options.name)
        .filter((tool) => options.server === undefined || tool.server === options.server)
        .filter((tool) => {
          const text = `${tool.name} ${tool.description ?? ''}`.toLowerCase();
          return words.length === 0 || words.some((word) => text.includes(word));
        });
      const { offset = 0, limit = matches.length } = options;
      return Promise.resolve({ tools: matches.slice(offset, offset + limit), failedServers: [] });
    },
    async callTool(name, args, options = {}) {
      options.signal?.throwIfAborted();
      const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
      if (!tool) throw new CodeExecutorError('not_found', `Tool ${name} does not exist.`, { tool: name });
      const schema = listed.find((each) => each.name === name);
      if (schema) options.acceptTool?.(schema);
      calls.push({ name, args });
      try {
        return toResult(await tool(args));
      } catch (error) {
        if (CodeExecutorError.is(error)) throw error;
        return { content: [{ type: 'text', text: (error as Error).message }], isError: true };
      }
    },
  };
}

function toResult(value: unknown): ToolResult {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    if ('content' in value) return value as ToolResult;
    return { content: [text(JSON.stringify(value))], structuredContent: value as JsonObject };
  }
  return { content: [text(typeof value === 'string' ? value : JSON.stringify(value ?? null))] };
}

function text(content: string): ContentBlock {
  return { type: 'text', text: content };
}
