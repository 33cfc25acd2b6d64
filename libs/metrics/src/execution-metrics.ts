import type { ExecutionEndedEvent } from '@code-executor/contracts';
import { Counter, Histogram, type Registry } from 'prom-client';

import { isAmount, observeMs } from './amount.js';
import { isolationLabel, type NameLabel, statusLabel } from './labels.js';

/** The usual rule of thumb for English and JSON. */
const bytesPerToken = 4;

/** Creates the metrics of executions; the returned function takes the event of one. */
export function executionMetrics(
  registry: Registry,
  languages: NameLabel,
): (event: ExecutionEndedEvent) => void {
  const registers = [registry];
  const executions = new Counter({
    name: 'executions_total',
    help: 'Executions that ended or were refused.',
    labelNames: ['language', 'status', 'isolation'],
    registers,
  });
  const duration = new Histogram({
    name: 'execution_duration_seconds',
    help: 'Duration of executions that began.',
    labelNames: ['language'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
    registers,
  });
  const startup = new Histogram({
    name: 'sandbox_startup_seconds',
    help: 'Time from when a program had its place until it began.',
    labelNames: ['language'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const returned = new Counter({
    name: 'returned_bytes_total',
    help: 'Bytes that executions returned to their callers.',
    registers,
  });
  const tokensSaved = new Counter({
    name: 'tokens_saved_estimate_total',
    help: 'Estimate of the tokens that callers did not have to read: per execution, the bytes of its tool results less the bytes it returned, divided by 4.',
    registers,
  });
  return ({ language: spoken, status, isolation, durationMs, startupMs, resultBytes, returnedBytes }) => {
    const language = languages.of(spoken);
    executions.inc({ language, status: statusLabel(status), isolation: isolationLabel(isolation) });
    if (status !== 'rejected') observeMs(duration, { language }, durationMs);
    observeMs(startup, { language }, startupMs);
    if (!isAmount(returnedBytes)) return;
    returned.inc(returnedBytes);
    if (!isAmount(resultBytes)) return;
    tokensSaved.inc(Math.floor(Math.max(0, resultBytes - returnedBytes) / bytesPerToken));
  };
}
