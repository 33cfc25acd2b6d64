import { type Logger, within } from '@code-executor/contracts';
import { diag, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

/** An exporter of spans that runs as long as the server. */
export interface Telemetry {
  /** Sends the remaining spans for at most 2 s; never rejects. */
  close(): Promise<void>;
}

const closeMs = 2000;

/**
 * Registers an exporter for the spans of our libraries, configured by the `OTEL_*` variables. It is part of the server only,
 * because programs that embed the libraries have their own SDK, or none. The log says once if spans cannot be exported.
 */
export function startTelemetry(version: string, logger: Logger): Telemetry {
  logFirstFailure(logger);
  const own = resourceFromAttributes({ 'service.name': 'code-executor', 'service.version': version });
  const provider = new BasicTracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  trace.setGlobalTracerProvider(provider);
  return {
    async close() {
      // The server ends even if the collector does not answer.
      await within(
        closeMs,
        provider.shutdown().catch(() => undefined),
      );
    },
  };
}

/** Logs the first failed export only. Every further one would be an error, too, and may repeat the collector's answer. */
function logFirstFailure(logger: Logger): void {
  const silence = () => undefined;
  let isLogged = false;
  const error = () => {
    if (isLogged) return;
    isLogged = true;
    logger.warn({}, 'Traces cannot be exported; see whether the collector of the OTEL_ variables answers.');
  };
  diag.setLogger({ error, warn: silence, info: silence, debug: silence, verbose: silence });
}
