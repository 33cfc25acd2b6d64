import type {
  ExecutionErrorCode,
  ExecutionStatus,
  IsolationMode,
  JsonValue,
  Language,
} from '@code-executor/contracts';
import {
  type ExecuteLimits,
  executeParameters,
  type ExecuteRequest,
  type ExecutionReport,
  type Executor,
} from '@code-executor/executor';
import * as z from 'zod';

import { publishedSchema, record } from '../../published-schema.js';
import type { Tool } from '../../tool.js';

type ReportedFields = Omit<ExecutionReport, 'content'>;

/**
 * An empty schema says the same, but looks like a forgotten one. Not `anyOf`: zod makes one list of
 * types of that, which some clients refuse.
 */
const anyJson = ['object', 'array', 'string', 'number', 'boolean', 'null'].map((type) => ({ type }));

const report = z.object({
  success: z.boolean(),
  status: z.custom<ExecutionStatus>().meta({ type: 'string' }),
  executionId: z.string(),
  output: z.string(),
  stderr: z.string().exactOptional(),
  result: z.custom<JsonValue>().meta({ oneOf: anyJson }).exactOptional(),
  resultNote: z.string().exactOptional(),
  truncated: z.boolean(),
  images: z.array(record<{ mimeType: string; bytes: number }>()).exactOptional(),
  error: z.string().exactOptional(),
  errorCode: z.custom<ExecutionErrorCode>().meta({ type: 'string' }).exactOptional(),
  retryAfterMs: z.number().exactOptional(),
  executionTimeMs: z.number(),
  isolation: z.custom<IsolationMode>().meta({ type: 'string' }).exactOptional(),
  toolCallsMade: z.array(z.string()),
  toolCallSummary: z.array(record<ReportedFields['toolCallSummary'][number]>()),
  unavailableServers: z
    .array(record<NonNullable<ReportedFields['unavailableServers']>[number]>())
    .exactOptional(),
}) satisfies z.ZodType<ReportedFields>;

const published = publishedSchema(report);

const introductions = {
  typescript: {
    name: 'executeTypescript',
    title: 'Execute TypeScript',
    description: `Runs TypeScript in a sandbox without network or files. \`return\` or \`export default\` gives its result, console.log its output.
Async globals: tools.server.tool(params), or callMCPTool("mcp__server__tool", params), calls a tool of your MCP servers: plain value, or it throws; searchTools(query) and discoverMCPTools() give names and signatures, getToolTypes(names) types; display(blob) shows a picture.
Code can only call what allowedTools lists.`,
  },
  python: {
    name: 'executePython',
    title: 'Execute Python',
    description: `Runs Python in a sandbox without network or files. The last expression is its result; top-level await works.
Globals, await optional: tools.server.tool(**params), or call_mcp_tool("mcp__server__tool", params), calls a tool of your MCP servers: plain value, or it raises; search_tools(query) gives names and signatures, get_tool_types(names) types; display(x) shows a picture.
Code can only call what allowedTools lists.`,
  },
} satisfies Record<Language, Pick<Tool, 'name' | 'title' | 'description'>>;

/**
 * The tool that runs programs in one language; parameters and results are the same for all.
 *
 * @param services - Asked for when the tool is called.
 */
export function executionTool(
  language: Language,
  services: () => Promise<{ executor: Pick<Executor, 'execute'> }>,
  limits: ExecuteLimits | undefined,
): Tool {
  return {
    ...introductions[language],
    inputSchema: executeParameters(limits).jsonSchema,
    outputSchema: published,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    async call(args, context) {
      const { executor } = await services();
      // The executor takes its request as unknown JSON, and words what is wrong with it.
      const { content, ...structured } = await executor.execute(args as ExecuteRequest, {
        ...context,
        language,
      });
      return { structured, isError: !structured.success, ...(content && { content }) };
    },
  };
}
