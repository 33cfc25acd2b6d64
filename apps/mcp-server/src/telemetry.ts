import { type Logger, within } from '@code-executor/contracts';
import { diag, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

/** Exports spans as long as the server runs. */
export interface Telemetry {
  /** Sends what is left, for 2 s at most; never rejects. */
  close(): Promise<void>;
}

const closeMs = 2000;

/**
 * Registers an exporter for the spans of our libraries, set by the `OTEL_*` variables. Loaded where they ask for
 * it only: whoever embeds the libraries brings an SDK of their own, or none. The logger is told once that spans
 * cannot be exported.
 */
export function startTelemetry(version: string, logger: Logger): Telemetry {
  tellOnce(logger);
  const own = resourceFromAttributes({ 'service.name': 'code-executor', 'service.version': version });
  const provider = new BasicTracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  trace.setGlobalTracerProvider(provider);
  return {
    async close() {
      // A collector that is gone is no reason not to end.
      await within(
        closeMs,
        provider.shutdown().catch(() => undefined),
      );
    },
  };
}

/** Every export that fails is an error of its own, and may repeat what the collector answered. */
function tellOnce(logger: Logger): void {
  const silence = () => undefined;
  let isTold = false;
  const error = () => {
    if (isTold) return;
    isTold = true;
    logger.warn({}, 'Traces cannot be exported; see whether the collector of the OTEL_ variables answers.');
  };
  diag.setLogger({ error, warn: silence, info: silence, debug: silence, verbose: silence });
}
