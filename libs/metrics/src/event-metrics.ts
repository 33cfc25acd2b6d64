import type { AuditEvent } from '@code-executor/contracts';
import { Counter, type Registry } from 'prom-client';

import { eventCount } from './amount.js';
import { executionMetrics } from './execution-metrics.js';
import type { NameLabels } from './labels.js';
import { toolCallMetrics } from './tool-call-metrics.js';

/** Creates the metrics that count audit events; the returned function takes an event. */
export function eventMetrics(
  registry: Registry,
  { servers, languages }: NameLabels,
): (event: AuditEvent) => void {
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [registry] });
  const onExecution = executionMetrics(registry, languages);
  const onToolCall = toolCallMetrics(registry, servers);
  const denials = counter('denials_total', 'Tool calls that the policy denied.');
  const authFailures = counter('auth_failures_total', 'HTTP requests without a valid token.');
  const rateLimited = counter('rate_limited_total', 'Requests that were refused for coming too fast.');
  return (event) => {
    switch (event.type) {
      case 'execution':
        if (event.action !== 'started') onExecution(event);
        break;
      case 'tool_call':
        if (event.action !== 'started') onToolCall(event);
        break;
      case 'queue':
        onToolCall(event);
        break;
      case 'denial':
        denials.inc(eventCount(event));
        break;
      case 'auth_failure':
        authFailures.inc();
        break;
      case 'rate_limited':
        rateLimited.inc();
        break;
      default: // The others report a change of state, which is read when the metrics are rendered.
    }
  };
}
