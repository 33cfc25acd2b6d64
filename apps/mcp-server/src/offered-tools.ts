import type { Host, HostSettings } from '@code-executor/host';

import type { Tool } from './tool.js';
import { executionTools } from './toolsets/core/execution-tools.js';
import { getExecutionTool } from './toolsets/core/get-execution.js';
import { healthTool } from './toolsets/core/health.js';

/** What the tools of a server need. Its functions are called only when a tool is. */
export interface Offer {
  version: string;
  settings: HostSettings;
  host: () => Promise<Host>;
  warnings: () => readonly string[];
}

/** The tools of a server, for all of its callers together. */
export function offeredTools({ version, settings, host, warnings }: Offer): Tool[] {
  const { config, servers = {} } = settings;
  const options = { host, servers: Object.keys(servers), limits: config.security, policy: config.policy };
  return [
    ...executionTools(config, options),
    getExecutionTool({ host }),
    healthTool({ version, host, warnings }),
  ];
}
