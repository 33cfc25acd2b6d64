import {
  type Caller,
  CodeExecutorError,
  formatTraceparent,
  type Language,
  newTraceParent,
  parseTraceparent,
  type ToolHit,
  type ToolSource,
  type TraceParent,
} from '@code-executor/contracts';
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

import type { ExecutionReport } from './execution-report.js';

const tracer = trace.getTracer('@code-executor/executor');

interface TracedExecution {
  executionId: string;
  language: Language;
  caller: Caller;
  /** The caller's `traceparent`, as it was received; an invalid one is ignored. */
  traceparent: string | undefined;
}

/** Is told of each call of the execution. */
export interface CallCounter {
  callBegan(): void;
  callEnded(): void;
}

/**
 * The trace of one execution: a span of its own, one for each tool call below it, and an id that all its records
 * share. The spans are OpenTelemetry's and cost nothing if no SDK is registered; then the id is that of the caller's
 * trace, or a new one.
 */
export class ExecutionTrace {
  /** The W3C trace id. */
  readonly correlationId: string;
  readonly #callerAttributes: Attributes;
  readonly #span: Span;
  readonly #context: Context;
  /** The parent of tool calls if no spans are recorded. */
  readonly #parent: TraceParent;

  constructor({ executionId, language, caller, traceparent }: TracedExecution) {
    const from = parseTraceparent(traceparent);
    const outer = from ? trace.setSpanContext(ROOT_CONTEXT, { ...from, isRemote: true }) : ROOT_CONTEXT;
    this.#callerAttributes = {
      'code_executor.caller.id': caller.id,
      'code_executor.caller.kind': caller.kind,
    };
    const attributes = {
      'code_executor.execution.id': executionId,
      'code_executor.language': language,
      ...this.#callerAttributes,
    };
    this.#span = tracer.startSpan(`execute ${language}`, { attributes }, outer);
    this.#context = trace.setSpan(outer, this.#span);
    this.#parent = positionOf(this.#span) ?? newTraceParent();
    this.correlationId = this.#parent.traceId;
  }

  /** The same tools, with a span for each call, which the upstream call names as its parent; counts those under way. */
  around(tools: ToolSource<ToolHit>, underWay: CallCounter): ToolSource<ToolHit> {
    return {
      listTools: (options) => tools.listTools(options),
      callTool: async (name, args, options) => {
        const span = this.#startCall(name);
        underWay.callBegan();
        try {
          const traceparent = formatTraceparent(positionOf(span) ?? this.#parent);
          const result = await tools.callTool(name, args, { ...options, traceparent });
          if (result.isError) fail(span, 'tool_error');
          return result;
        } catch (error) {
          fail(span, CodeExecutorError.from(error).code);
          throw error;
        } finally {
          underWay.callEnded();
          span.end();
        }
      },
    };
  }

  /** The execution is over. */
  end({ status, errorCode, isolation, toolCallSummary }: ExecutionReport): void {
    this.#span.setAttributes({
      'code_executor.status': status,
      'code_executor.tool_calls': toolCallSummary.reduce((sum, { callCount }) => sum + callCount, 0),
      ...(isolation && { 'code_executor.isolation': isolation }),
    });
    if (errorCode) fail(this.#span, errorCode);
    this.#span.end();
  }

  #startCall(name: unknown): Span {
    // The name is hostile input and may not even be a string.
    const tool = typeof name === 'string' ? name.slice(0, 200) : '(no name)';
    const attributes: Attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'gen_ai.tool.type': 'function',
      ...this.#callerAttributes,
    };
    return tracer.startSpan(`execute_tool ${tool}`, { attributes }, this.#context);
  }
}

/** Records only the code, because messages may repeat what users and servers wrote. */
function fail(span: Span, code: string): void {
  span.setAttribute('error.type', code);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function positionOf(span: Span): TraceParent | undefined {
  const position = span.spanContext();
  return isSpanContextValid(position) ? position : undefined;
}
