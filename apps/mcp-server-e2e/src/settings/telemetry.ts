import { expect } from '@jest/globals';

import { SpanCollector } from '../observability/span-collector.js';
import { untilGone } from '../server-under-test/processes.js';
import { StartedServer, withServer } from '../server-under-test/started-server.js';
import { alone } from './effect-check.js';
import { noSpares } from './upstream.js';

const config = JSON.stringify({ sandbox: { spares: noSpares } });

/** Runs one execution; returns whether its spans arrived, and what the server logged. */
async function runWith(variables: (url: string) => Record<string, string>) {
  const collector = await SpanCollector.start();
  try {
    const start = StartedServer.start({ '.code-executor.json': config }, variables(collector.url));
    return await withServer(start, async (server) => {
      expect(await server.run('return 1')).toMatchObject({ success: true });
      await server.client.close();
      await untilGone([server.pid]);
      return { hasSpans: collector.spans.length > 0, stderr: server.stderr };
    });
  } finally {
    await collector.close();
  }
}

const both = (name: string, value: string) =>
  runWith((url) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, [name]: value }));

async function showProtocol(name: string): Promise<void> {
  const { hasSpans, stderr } = await both(name, 'grpc');
  expect([hasSpans, stderr]).toEqual([true, expect.stringContaining('knows only http/protobuf here')]);
}

export const telemetryChecks = [
  alone({
    OTEL_EXPORTER_OTLP_ENDPOINT: async () => {
      const { hasSpans } = await runWith((url) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url }));
      expect(hasSpans).toBe(true);
    },
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: async () => {
      const { hasSpans } = await runWith((url) => ({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url }));
      expect(hasSpans).toBe(true);
    },
    OTEL_EXPORTER_OTLP_PROTOCOL: () => showProtocol('OTEL_EXPORTER_OTLP_PROTOCOL'),
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: () => showProtocol('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'),
    OTEL_SDK_DISABLED: async () => expect((await both('OTEL_SDK_DISABLED', 'true')).hasSpans).toBe(false),
    OTEL_TRACES_EXPORTER: async () => {
      expect((await both('OTEL_TRACES_EXPORTER', 'none')).hasSpans).toBe(false);
      const { hasSpans, stderr } = await both('OTEL_TRACES_EXPORTER', 'console');
      expect([hasSpans, stderr]).toEqual([false, expect.stringContaining('knows only otlp and none here')]);
    },
  }),
];
