import { setTimeout as delay } from 'node:timers/promises';

import type { Caller, ExecutionStatus } from '@code-executor/contracts';
import {
  type BriefReport,
  briefReport,
  type Execution,
  type ExecutionState,
  type ExecutionSummary,
  type Executor,
} from '@code-executor/executor';
import * as z from 'zod';

import { publishedSchema, record } from '../../published-schema.js';
import type { Tool, ToolOutcome } from '../../tool.js';
import { type ExecutionQuery, parseQuery, querySchema } from './execution-query.js';

/** Characters of the output in one answer. */
const maxOutputChars = 10_000;
/** Without an id, so many of the newest are listed. */
const maxListed = 10;
/** A cancelled program has a second to end by itself. */
const cancelledMs = 5000;

const answer = z.object({
  executionId: z.string().exactOptional(),
  state: z.custom<ExecutionState>().meta({ type: 'string' }).exactOptional(),
  status: z.custom<ExecutionStatus>().meta({ type: 'string' }).exactOptional(),
  queuePosition: z.number().exactOptional(),
  questionOpen: z.literal(true).meta({ type: 'boolean' }).exactOptional(),
  output: z.string().exactOptional(),
  nextOffset: z.number().exactOptional(),
  report: record<BriefReport>().exactOptional(),
  executions: z.array(record<ExecutionSummary>()).exactOptional(),
  error: z.string().exactOptional(),
  errorCode: z.enum(['invalid_argument', 'not_found']).meta({ type: 'string' }).exactOptional(),
});
type Answer = z.infer<typeof answer>;

export interface GetExecutionOptions {
  /** Called when the tool is called. */
  host: () => Promise<{ executor: Pick<Executor, 'get' | 'list'> }>;
}

/** The tool that looks up what a caller has started, for clients that could not wait for an answer, or lost it. */
export function getExecutionTool({ host }: GetExecutionOptions): Tool {
  return {
    name: 'getExecution',
    title: 'Get execution',
    description: 'State, output and result of a program that you started, also if its answer was lost.',
    inputSchema: querySchema,
    outputSchema: publishedSchema(answer),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    async call(args, { caller, signal }) {
      const query = parseQuery(args);
      if (typeof query === 'string') return failed('invalid_argument', query);
      const { executor } = await host();
      if (query.executionId === undefined) return listed(executor, caller);
      const execution = executor.get(query.executionId, caller);
      if (!execution) {
        return failed(
          'not_found',
          'You have no such execution, or it ended too long ago; leave out executionId for a list.',
        );
      }
      if (query.cancel === true) execution.cancel('The caller of getExecution asked for it.');
      await somethingToTell(execution, query, signal);
      return execution.state === 'finished' ? finished(execution) : underWay(execution, query);
    },
  };
}

/** Waits for the end or for a question, as long as the caller wants to. */
async function somethingToTell(
  execution: Execution,
  query: ExecutionQuery,
  signal: AbortSignal,
): Promise<void> {
  const waitMs = query.cancel === true ? cancelledMs : (query.waitMs ?? 0);
  if (waitMs === 0) return;
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const told = [delay(waitMs, undefined, { signal: until }), execution.nextQuestion(until)];
  // Both reject when the waiting is over.
  for (const each of told) void each.catch(() => undefined);
  try {
    await Promise.race([execution.result, ...told]).catch(() => undefined);
  } finally {
    over.abort();
  }
}

async function finished(execution: Execution): Promise<ToolOutcome> {
  const report = await execution.result;
  const structured: Answer = {
    executionId: execution.id,
    state: 'finished',
    status: report.status,
    report: briefReport(report),
  };
  return { structured, isError: false, ...(report.content && { content: report.content }) };
}

async function underWay(execution: Execution, { fromOffset = 0 }: ExecutionQuery): Promise<ToolOutcome> {
  const { chunks, nextOffset } = await execution.readOutput({ fromOffset });
  const text = chunks.map((chunk) => chunk.text).join('');
  const output = text.slice(0, maxOutputChars);
  const { queuePosition } = execution.summary;
  const structured: Answer = {
    executionId: execution.id,
    state: execution.state,
    ...(queuePosition !== undefined && { queuePosition }),
    ...(execution.questions.length > 0 && { questionOpen: true as const }),
    output,
    nextOffset: nextOffset - (text.length - output.length),
  };
  return { structured, isError: false };
}

function listed(executor: Pick<Executor, 'list'>, caller: Caller): ToolOutcome {
  const structured: Answer = { executions: executor.list({}, caller).slice(0, maxListed) };
  return { structured, isError: false };
}

function failed(errorCode: NonNullable<Answer['errorCode']>, error: string): ToolOutcome {
  const structured: Answer = { error, errorCode };
  return { structured, isError: true };
}
