import { CodeExecutorError } from '@code-executor/contracts';
import { refusingExecutor } from '@code-executor/executor';

import type { Services } from './compose.js';
import { enabledLanguages } from './enabled-languages.js';
import type { Setup } from './setup.js';
import type { Tool } from './tool.js';
import { executionTool } from './toolsets/core/execution-tool.js';
import { healthTool } from './toolsets/core/health.js';

/** The tools of a server; `services` is asked for when one is called, and `warnings` too. */
export function offeredTools(
  { config, servers, version }: Pick<Setup, 'config' | 'servers' | 'version'>,
  services: () => Promise<Services>,
  warnings: () => readonly string[],
): Tool[] {
  const options = { services, servers: Object.keys(servers), limits: config.security };
  return [
    ...enabledLanguages(config).map((language) => executionTool(language, options)),
    healthTool({ version, services, warnings }),
  ];
}

/** The tools of a server that cannot start because of its configuration: each call says what is wrong. */
export function refusingTools(version: string, problem: string): Tool[] {
  const executor = refusingExecutor(new CodeExecutorError('failed_precondition', problem));
  const none = { active: 0, waiting: 0, max: 0, servers: [] };
  const services = () => Promise.resolve({ executor, lasting: { pool: { stats: none } } });
  return [
    ...enabledLanguages({}).map((language) => executionTool(language, { services, servers: [] })),
    healthTool({ version, services, warnings: () => [], problem }),
  ];
}
