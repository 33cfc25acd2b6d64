import type { CodeExecutorError } from '@code-executor/contracts';
import { refusingExecutor } from '@code-executor/executor';

import { measureHealth } from './health.js';
import type { Host } from './host.js';

/** Replaces a host that cannot be made from its configuration: every program gets the reason. */
export function refusingHost(reason: CodeExecutorError): Pick<Host, 'executor' | 'health'> {
  const executor = refusingExecutor(reason);
  const poolStats = { active: 0, waiting: 0, max: 0, servers: [] };
  return { executor, health: () => measureHealth({ executor, poolStats }) };
}
