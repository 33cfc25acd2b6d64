import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ClientPool } from '../client-pool.js';
import { dataOf, errorOf, stdioServer } from '../fixture-servers.test.support.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

let pool: ClientPool;
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'call-span-'));
  pool = new ClientPool({ servers: { moody: stdioServer('moody-server.mjs', join(folder, 'calls'), '1') } });
  // The server dies at its first call.
  await errorOf(pool.callTool('mcp__moody__write', {}));
});
afterEach(async () => {
  await pool.close();
  await rm(folder, { recursive: true });
});
const parentSeen = async (options = {}) =>
  (await pool.callTool('mcp__moody__read', {}, options)).structuredContent?.['traceparent'];

describe('a call without a registered SDK', () => {
  test('passes a valid traceparent on, and no other', async () => {
    expect(await parentSeen({ traceparent })).toBe(traceparent);
    expect(await parentSeen({ traceparent: '00-nonsense' })).toBeNull();
    expect(await parentSeen()).toBeNull();
  });
});

describe('a call with a registered SDK', () => {
  const exporter = new InMemorySpanExporter();
  beforeAll(() => {
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    trace.setGlobalTracerProvider(provider);
  });
  beforeEach(() => exporter.reset());
  afterAll(() => trace.disable());

  test('is a client span below the given parent, and itself the parent of what the server does', async () => {
    const seen = await parentSeen({ traceparent });
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({
      name: 'tools/call read',
      kind: SpanKind.CLIENT,
      attributes: {
        'mcp.method.name': 'tools/call',
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'read',
        'network.transport': 'pipe',
        'code_executor.server.name': 'moody',
      },
      parentSpanContext: { traceId, spanId: '00f067aa0ba902b7', isRemote: true },
      status: { code: SpanStatusCode.UNSET },
    });
    expect(seen).toBe(`00-${traceId}-${span?.spanContext().spanId ?? ''}-01`);
  });

  test('begins a trace without a parent', async () => {
    const seen = await parentSeen();
    const [span] = exporter.getFinishedSpans();
    expect(span?.parentSpanContext).toBeUndefined();
    expect(seen).toBe(`00-${span?.spanContext().traceId ?? ''}-${span?.spanContext().spanId ?? ''}-01`);
  });

  test('names the kind of its error, and not the message', async () => {
    await pool.callTool('mcp__moody__wrong', {});
    await rm(join(folder, 'calls'));
    expect(await dataOf(pool, 'moody__read')).toMatchObject({ calls: 2 }); // after one that is lost
    const spans = exporter
      .getFinishedSpans()
      .map(({ attributes, status }) => [attributes['error.type'], status]);
    expect(spans).toEqual([
      ['tool_error', { code: SpanStatusCode.ERROR }],
      ['unavailable', { code: SpanStatusCode.ERROR }],
      [undefined, { code: SpanStatusCode.UNSET }],
    ]);
  });
});
