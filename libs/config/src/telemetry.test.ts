import { describe, expect, test } from '@jest/globals';

import { readTelemetry } from './telemetry.js';

describe('readTelemetry', () => {
  test.each([
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }, true],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'TRUE' }, false],
  ])('reads %j', (env, isWanted) => {
    expect(readTelemetry(env)).toEqual({ isWanted, warnings: [] });
  });

  test('warns of variables that it ignores', () => {
    expect(readTelemetry({ OTEL_TRACES_EXPORTER: 'console' })).toEqual({
      isWanted: false,
      warnings: ['OTEL_TRACES_EXPORTER knows only otlp and none here; no traces are exported.'],
    });
    expect(readTelemetry({ OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toEqual({
      isWanted: true,
      warnings: ['OTEL_EXPORTER_OTLP_PROTOCOL knows only http/protobuf here; traces are exported so.'],
    });
  });
});
