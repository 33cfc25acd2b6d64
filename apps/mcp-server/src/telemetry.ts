import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

/** Exports spans as long as the server runs. */
export interface Telemetry {
  /** Sends what is left; never rejects. */
  close(): Promise<void>;
}

/**
 * Registers an exporter for the spans of our libraries, set by the `OTEL_*` variables. Loaded where they ask for
 * it only: whoever embeds the libraries brings an SDK of their own, or none.
 */
export function startTelemetry(version: string): Telemetry {
  const own = resourceFromAttributes({ 'service.name': 'code-executor', 'service.version': version });
  const provider = new BasicTracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  trace.setGlobalTracerProvider(provider);
  return {
    async close() {
      // A collector that is gone is no reason not to end.
      await provider.shutdown().catch(() => undefined);
    },
  };
}
