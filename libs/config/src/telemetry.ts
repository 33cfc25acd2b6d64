import { readVariable } from './references.js';

export interface TelemetrySettings {
  /** Whether spans are to be exported over OTLP. */
  isWanted: boolean;
  /** Messages for the user about variables that this product ignores. */
  warnings: string[];
}

/**
 * Whether the environment asks for traces, by the standard variables of OpenTelemetry: an endpoint in
 * `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, or `OTEL_TRACES_EXPORTER=otlp`; never with
 * `OTEL_SDK_DISABLED=true` or `OTEL_TRACES_EXPORTER=none`. The exporter reads the other variables.
 *
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export function readTelemetry(env: NodeJS.ProcessEnv = process.env): TelemetrySettings {
  const value = (name: string) => readVariable(env, name)?.trim().toLowerCase() ?? '';
  const exporter = value('OTEL_TRACES_EXPORTER');
  const hasEndpoint =
    value('OTEL_EXPORTER_OTLP_ENDPOINT') !== '' || value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') !== '';
  if (value('OTEL_SDK_DISABLED') === 'true' || exporter === 'none') return { isWanted: false, warnings: [] };
  if (exporter !== '' && exporter !== 'otlp') {
    const warning = 'OTEL_TRACES_EXPORTER knows only otlp and none here; no traces are exported.';
    return { isWanted: false, warnings: [warning] };
  }
  const isWanted = hasEndpoint || exporter === 'otlp';
  const protocol = value('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || value('OTEL_EXPORTER_OTLP_PROTOCOL');
  const isOther = isWanted && protocol !== '' && protocol !== 'http/protobuf';
  const warning = 'OTEL_EXPORTER_OTLP_PROTOCOL knows only http/protobuf here; traces are exported so.';
  return { isWanted, warnings: isOther ? [warning] : [] };
}
