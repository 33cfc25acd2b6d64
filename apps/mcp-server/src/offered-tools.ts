import type { Services } from './compose.js';
import { enabledLanguages } from './enabled-languages.js';
import type { Setup } from './setup.js';
import type { Tool } from './tool.js';
import { executionTool } from './toolsets/core/execution-tool.js';
import { healthTool } from './toolsets/core/health.js';

/** The tools of a server; `services` is asked for when one is called. */
export function offeredTools(
  { config, servers, version, warnings }: Pick<Setup, 'config' | 'servers' | 'version' | 'warnings'>,
  services: () => Promise<Services>,
): Tool[] {
  const options = { services, servers: Object.keys(servers), limits: config.security };
  return [
    ...enabledLanguages(config).map((language) => executionTool(language, options)),
    healthTool({ version, services, warnings }),
  ];
}
