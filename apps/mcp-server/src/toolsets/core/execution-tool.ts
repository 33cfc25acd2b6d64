import type {
  ExecutionErrorCode,
  ExecutionStatus,
  FailedServer,
  IsolationMode,
  JsonValue,
} from '@code-executor/contracts';
import {
  type BriefCallSummary,
  type BriefReport,
  briefReport,
  type ExecuteLimits,
  executeParameters,
  type ExecutionLanguage,
  type ExecuteRequest,
  type Executor,
} from '@code-executor/executor';
import type { Host } from '@code-executor/host';
import { approvalFor, type ToolPolicy } from '@code-executor/proxy';
import * as z from 'zod';

import { publishedSchema, record } from '../../published-schema.js';
import type { Introduction } from '../../introductions.js';
import { listNames } from '../../list-names.js';
import type { Tool } from '../../tool.js';
import { loginLinks } from './login-links.js';

/** Characters for names of servers in each description. Every tool names them, because a client may show a model one tool alone. */
const maxServerChars = 200;

/** The key of `_meta` that has the whole summary of the tool calls. */
const toolCallsKey = 'code-executor/toolCalls';

/**
 * An empty schema means the same, but looks like a forgotten one. It is not `anyOf`, because zod turns that into a list of
 * types, which some clients refuse.
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

/** What the tools that run programs need. */
export interface ExecutionToolOptions {
  /** Called when a tool is called. */
  host: () => Promise<{ executor: Pick<Executor, 'start'> } & Partial<Pick<Host, 'beginLogin'>>>;
  /** The names of the servers whose tools programs can call. */
  servers: readonly string[];
  limits?: ExecuteLimits | undefined;
  policy?: Pick<ToolPolicy, 'ask'> | undefined;
}

/** The tool that runs programs in one language; results are the same for all. */
export function executionTool(
  language: Pick<ExecutionLanguage, 'name' | 'title' | 'takesFiles'>,
  { tool }: Introduction,
  { host, servers, limits, policy }: ExecutionToolOptions,
): Tool {
  return {
    ...tool,
    description: tool.description(listNames(servers, maxServerChars) || 'none'),
    inputSchema: executeParameters(limits).jsonSchema(language),
    outputSchema: published,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    async call(args, { onExecution, onLoginLink, ...context }) {
      const parts = await host();
      const beginLogin = onLoginLink && parts.beginLogin?.bind(parts);
      const approval = approvalFor(tool.name, policy, context.caller);
      // The executor validates its request, and says what is wrong with it.
      const execution = parts.executor.start(args as ExecuteRequest, {
        ...context,
        language: language.name,
        ...(approval && { approval }),
        ...(beginLogin && { offerLogin: loginLinks(beginLogin, onLoginLink) }),
      });
      onExecution(execution);
      const report = await execution.result;
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
