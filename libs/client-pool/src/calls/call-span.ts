import {
  CodeExecutorError,
  formatTraceparent,
  parseTraceparent,
  type ToolResult,
} from '@code-executor/contracts';
import { context, isSpanContextValid, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

export interface SpanOptions {
  server: string;
  /** The tool's own name. */
  tool: string;
  transport: 'pipe' | 'tcp';
  /** The parent, in the form of W3C Trace Context; without a usable one, the active span. */
  traceparent: string | undefined;
}

const tracer = trace.getTracer('@code-executor/client-pool');

/**
 * Makes the call within a client span that follows OpenTelemetry's conventions for MCP. The call gets what the server
 * names as its parent: that span, or the given parent if no SDK is registered.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 */
export async function withCallSpan(
  { server, tool, transport, traceparent }: SpanOptions,
  call: (traceparent: string | undefined) => Promise<ToolResult>,
): Promise<ToolResult> {
  const parent = parseTraceparent(traceparent);
  const active = context.active();
  const outer = parent ? trace.setSpanContext(active, { ...parent, isRemote: true }) : active;
  const attributes = {
    'mcp.method.name': 'tools/call',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'network.transport': transport,
    'code_executor.server.name': server,
  };
  const span = tracer.startSpan(`tools/call ${tool}`, { kind: SpanKind.CLIENT, attributes }, outer);
  const fail = (type: string) => {
    // The code alone, because messages may repeat what users and servers wrote.
    span.setAttribute('error.type', type);
    span.setStatus({ code: SpanStatusCode.ERROR });
  };
  try {
    const position = span.spanContext();
    const result = await call(isSpanContextValid(position) ? formatTraceparent(position) : undefined);
    if (result.isError) fail('tool_error');
    return result;
  } catch (error) {
    fail(CodeExecutorError.from(error).code);
    throw error;
  } finally {
    span.end();
  }
}
