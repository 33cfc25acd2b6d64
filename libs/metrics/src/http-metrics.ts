import { Counter, Histogram, type Registry } from 'prom-client';

import { isAmount } from './amount.js';
import { methodLabel, NameLabel, statusCodeLabel } from './labels.js';

const maxEndpoints = 50;
const maxEndpointChars = 200;

/** Creates the metrics of HTTP requests; the returned function takes one. */
export function httpMetrics(
  registry: Registry,
): (method: string, endpoint: string, status: number, seconds: number) => void {
  const registers = [registry];
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'HTTP requests that were answered.',
    labelNames: ['method', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of HTTP requests.',
    labelNames: ['method', 'endpoint'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const endpoints = new NameLabel(maxEndpoints, (endpoint) => endpoint.length <= maxEndpointChars);
  return (method, endpoint, status, seconds) => {
    requests.inc({ method: methodLabel(method), status: statusCodeLabel(status) });
    if (isAmount(seconds))
      duration.observe({ method: methodLabel(method), endpoint: endpoints.of(endpoint) }, seconds);
  };
}
