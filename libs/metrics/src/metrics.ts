import { type AuditSink, type Logger, silentLogger } from '@code-executor/contracts';
import { Registry } from 'prom-client';

import { eventMetrics } from './event-metrics.js';
import { httpMetrics } from './http-metrics.js';
import { NameLabel } from './labels.js';
import { ProcessMetrics } from './process-metrics.js';
import type { MetricSources } from './sources.js';
import { stateMetrics } from './state-metrics.js';

const maxServers = 200;
/** Enough for every language; invented names get no more labels. */
const maxLanguages = 20;
const languageName = /^[a-z][a-z0-9_-]{0,30}$/;

/** The metrics of one server, in their own registry. */
export interface Metrics {
  /** Counts an event. Never throws, and needs no `this`. */
  readonly record: AuditSink;
  /**
   * Counts an HTTP request that was answered.
   * @param endpoint The route, such as `/mcp/tools`, never the URL: from the 51st on, or over 200 characters, it counts as `other`.
   * @param status The status code of the answer.
   */
  request(method: string, endpoint: string, status: number, seconds: number): void;
  /** Reads the sources and returns all metrics as Prometheus text. Never rejects because of a source. */
  render(): Promise<string>;
  /** The `Content-Type` of what `render` returns. */
  readonly contentType: string;
}

export interface MetricsOptions {
  /** Logs which source failed. Default: silence. */
  logger?: Logger;
}

/** Creates metrics that start at 0. Reads no source before the first event or `render`. */
export function createMetrics(sources: MetricSources, options: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const servers = new NameLabel(maxServers, (name) => isConfigured(name, sources));
  const languages = new NameLabel(maxLanguages, (name) => languageName.test(name));
  const labels = { servers, languages };
  const refresh = stateMetrics(registry, sources, labels, options.logger ?? silentLogger);
  const processMetrics = new ProcessMetrics();
  return {
    record: eventMetrics(registry, labels),
    request: httpMetrics(registry),
    contentType: registry.contentType,
    async render() {
      await refresh();
      return `${await registry.metrics()}\n${await processMetrics.render()}`;
    },
  };
}

/** Only configured servers become labels, because a program can invent names. */
function isConfigured(name: string, { pool }: MetricSources): boolean {
  try {
    return pool?.().servers.some((server) => server.name === name) ?? false;
  } catch {
    return false; // `render` reports it.
  }
}
