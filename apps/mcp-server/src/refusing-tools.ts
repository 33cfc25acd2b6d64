import { CodeExecutorError } from '@code-executor/contracts';
import { refusingHost } from '@code-executor/host';

import type { Tool } from './tool.js';
import { executionTools } from './toolsets/core/execution-tools.js';
import { healthTool } from './toolsets/core/health.js';

/** Tools for a configuration that cannot be used: every call answers with what is wrong. */
export function refusingTools(version: string, problem: string): Tool[] {
  const refusing = refusingHost(new CodeExecutorError('failed_precondition', problem));
  const host = () => Promise.resolve(refusing);
  return [
    ...executionTools({}, { host, servers: [] }),
    healthTool({ version, host, warnings: () => [], problem }),
  ];
}
