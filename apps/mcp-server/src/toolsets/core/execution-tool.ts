import type {
  ExecutionErrorCode,
  ExecutionStatus,
  FailedServer,
  IsolationMode,
  JsonValue,
  Language,
} from '@code-executor/contracts';
import {
  type BriefCallSummary,
  type BriefReport,
  briefReport,
  type ExecuteLimits,
  executeParameters,
  type ExecuteRequest,
  type Executor,
} from '@code-executor/executor';
import * as z from 'zod';

import { publishedSchema, record } from '../../published-schema.js';
import type { Tool } from '../../tool.js';

/** Where the result's `_meta` has the whole summary of the tool calls. */
const toolCallsKey = 'code-executor/toolCalls';

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
  truncated: z.literal(true).meta({ type: 'boolean' }).exactOptional(),
  images: z.array(record<{ mimeType: string; bytes: number }>()).exactOptional(),
  error: z.string().exactOptional(),
  errorCode: z.custom<ExecutionErrorCode>().meta({ type: 'string' }).exactOptional(),
  retryAfterMs: z.number().exactOptional(),
  executionTimeMs: z.number(),
  isolation: z.custom<IsolationMode>().meta({ type: 'string' }).exactOptional(),
  toolCallsMade: z.array(z.string()).exactOptional(),
  toolCallSummary: z.array(record<BriefCallSummary>()).exactOptional(),
  unavailableServers: z.array(record<FailedServer>()).exactOptional(),
}) satisfies z.ZodType<BriefReport>;

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
      const report = await executor.execute(args as ExecuteRequest, { ...context, language });
      const { success, content, toolCallSummary } = report;
      return {
        structured: briefReport(report),
        isError: !success,
        ...(content && { content }),
        ...(toolCallSummary.length > 0 && { meta: { [toolCallsKey]: toolCallSummary } }),
      };
    },
  };
}
