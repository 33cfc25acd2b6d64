import type { LoadedConfig } from '@code-executor/config';
import type { Host, HostOptions } from '@code-executor/host';

/**
 * The host of a server with this configuration, without its audit log: a command does not record what it does. The
 * library is imported here because most commands need no host.
 */
export async function openHost(
  { config, homeDir }: Pick<LoadedConfig, 'config' | 'homeDir'>,
  options: Partial<HostOptions> = {},
): Promise<Host> {
  const { createHost } = await import('@code-executor/host');
  return createHost({
    // A command runs no programs, so it opens none of the granted folders.
    config: { ...config, audit: { enabled: false }, security: {} },
    ...(homeDir !== undefined && { homeDir }),
    ...options,
  });
}
