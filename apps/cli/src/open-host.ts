import type { LoadedConfig } from '@code-executor/config';
import type { Host, HostOptions } from '@code-executor/host';

/**
 * What a server with this configuration works with. A command keeps no record of its own doings. Loaded here: most
 * commands need no host.
 */
export async function openHost(
  { config, homeDir }: Pick<LoadedConfig, 'config' | 'homeDir'>,
  options: Partial<HostOptions> = {},
): Promise<Host> {
  const { createHost } = await import('@code-executor/host');
  return createHost({
    // It runs no programs, so nothing is opened to be granted.
    config: { ...config, audit: { enabled: false }, security: {} },
    ...(homeDir !== undefined && { homeDir }),
    ...options,
  });
}
