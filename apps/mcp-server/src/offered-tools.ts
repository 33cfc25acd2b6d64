import type { Services, Setup } from './compose.js';
import type { Tool } from './tool.js';
import { executeTypescriptTool } from './toolsets/core/execute-typescript.js';
import { healthTool } from './toolsets/core/health.js';
import { isTypescriptEnabled } from './typescript-enabled.js';

/** The tools of a server; `services` is asked for when one is called. */
export function offeredTools(
  { config, version, warnings }: Setup,
  services: () => Promise<Services>,
): Tool[] {
  return [
    ...(isTypescriptEnabled(config) ? [executeTypescriptTool(services, config.security)] : []),
    healthTool({ version, services, warnings }),
  ];
}
