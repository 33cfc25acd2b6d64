import type { OmittedEvent, QueueEvent, ToolCallEndedEvent } from '@code-executor/contracts';
import { Counter, Histogram, type Registry } from 'prom-client';

import { eventCount, isAmount, observeMs } from './amount.js';
import { type NameLabel, statusLabel } from './labels.js';

type ToolCallEvent = ToolCallEndedEvent | OmittedEvent | QueueEvent;

/** Creates the metrics of tool calls; the returned function takes the event of a call, or of one that the queue refused. */
export function toolCallMetrics(registry: Registry, servers: NameLabel): (event: ToolCallEvent) => void {
  const registers = [registry];
  const calls = new Counter({
    name: 'tool_calls_total',
    help: 'Tool calls, without those that the policy denied.',
    labelNames: ['server', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'tool_call_duration_seconds',
    help: 'Duration of tool calls that were made.',
    labelNames: ['server'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });
  const results = new Counter({
    name: 'tool_result_bytes_total',
    help: 'Bytes of the results of tools, as JSON.',
    labelNames: ['server'],
    registers,
  });
  const queueWait = new Histogram({
    name: 'pool_queue_wait_seconds',
    help: 'Time that tool calls waited for a free place.',
    buckets: [0.1, 0.5, 1, 2.5, 5, 10, 15, 30],
    registers,
  });
  return (event) => {
    const status = statusLabel(event.status);
    if (event.action === 'omitted') {
      calls.inc({ server: servers.of(undefined), status }, eventCount(event));
      return;
    }
    observeMs(queueWait, {}, event.queuedMs);
    // The call itself has an event of its own.
    if (event.type === 'queue') return;
    const server = servers.of(event.server);
    calls.inc({ server, status });
    if (event.status !== 'rejected') observeMs(duration, { server }, event.durationMs);
    if (isAmount(event.resultBytes)) results.inc({ server }, event.resultBytes);
  };
}
