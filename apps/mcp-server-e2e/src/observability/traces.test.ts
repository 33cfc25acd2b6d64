import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { AuditRecord } from '@code-executor/contracts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { auditRecordsOf } from '../server-under-test/audit-records.js';
import { createHome } from '../server-under-test/home.js';
import { untilGone } from '../server-under-test/processes.js';
import { StartedServer } from '../server-under-test/started-server.js';
import { until } from '../server-under-test/until.js';
import { recordingServer } from '../upstream-servers/entries.js';
import { SpanCollector } from './span-collector.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const callerSpanId = '00f067aa0ba902b7';
const traceparent = `00-${traceId}-${callerSpanId}-01`;

let collector: SpanCollector;
let server: StartedServer | undefined;
beforeEach(async () => {
  collector = await SpanCollector.start();
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await collector.close();
});

/** Runs one execution with one call, and ends the server; returns what the upstream server saw, and the audit records. */
async function trace(env: Record<string, string>) {
  const home = await createHome();
  const calls = join(home, 'calls.jsonl');
  const config = { policy: { defaultAllowedTools: ['*'] }, mcpServers: { notes: recordingServer(calls) } };
  await writeFile(join(home, '.code-executor.json'), JSON.stringify(config));
  server = await StartedServer.start({}, env, home);
  const code = 'return await tools.notes.note({ text: "x" })';
  const { structuredContent } = await server.client.callTool({
    name: 'executeTypescript',
    arguments: { code },
    _meta: { traceparent },
  });
  expect(structuredContent).toMatchObject({ success: true, result: 'noted' });
  const { executionId } = structuredContent as { executionId: string };
  await server.client.close();
  await untilGone([server.pid]);
  const { meta } = JSON.parse(await readFile(calls, 'utf8')) as { meta?: { traceparent?: string } };
  const records = (await auditRecordsOf(home)).filter((record) => record.executionId === executionId);
  return { seen: meta?.traceparent, records };
}

function expectOneCorrelation(records: AuditRecord[]) {
  expect(records.map(({ type }) => type)).toEqual(['tool_call', 'execution']);
  expect(records.map(({ correlationId }) => correlationId)).toEqual([traceId, traceId]);
}

describe('the trace of an execution', () => {
  test('has spans for the execution, the tool call and the upstream call below the caller, all sent before the server ends', async () => {
    const { seen, records } = await trace({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    expect(collector.serviceNames).toEqual(new Set(['code-executor']));
    expect(collector.spans).toHaveLength(3);
    const [execution, toolCall, upstream] = [
      'execute typescript',
      'execute_tool mcp__notes__note',
      'tools/call note',
    ].map((name) => collector.spans.find((span) => span.name === name));
    expect(execution).toMatchObject({ traceId, parentSpanId: callerSpanId });
    expect(toolCall).toMatchObject({ traceId, parentSpanId: execution?.spanId });
    expect(upstream).toMatchObject({ traceId, parentSpanId: toolCall?.spanId });
    expect(seen).toBe(`00-${traceId}-${upstream?.spanId ?? ''}-01`);
    expectOneCorrelation(records);
  });

  test.each([
    ['without a variable', () => ({})],
    [
      'with an exporter of none',
      () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_EXPORTER: 'none' }),
    ],
  ])('%s sends nothing, and passes on the id of the caller', async (_what, env) => {
    const { seen, records } = await trace(env());
    expect(seen).toBe(traceparent);
    expectOneCorrelation(records);
    expect(collector.requests).toBe(0);
  });

  test('delays nothing if the collector is gone, and reports that once', async () => {
    const gone = await SpanCollector.start();
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: gone.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_BSP_SCHEDULE_DELAY: '10',
    };
    await gone.close();
    server = await StartedServer.start({}, env);
    const timesTold = (text: string) => (server?.stderr.split(text).length ?? 0) - 1;
    expect(await server.run('return 1')).toMatchObject({ success: true });
    await until(() => timesTold('Traces cannot be exported') > 0);
    expect(await server.run('return 2')).toMatchObject({ success: true });
    await server.client.close();
    await untilGone([server.pid]);
    expect(timesTold('Traces cannot be exported')).toBe(1);
    expect(timesTold('OTEL_EXPORTER_OTLP_PROTOCOL knows only http/protobuf')).toBe(1);
  });
});
