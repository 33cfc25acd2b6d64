import type { Config, FoundServers } from '@code-executor/config';

/** What a host is made of: the configuration, and what was found beside it. */
export interface HostSettings extends Partial<Pick<FoundServers, 'servers' | 'unusable'>> {
  config: Config;
  /** The folder for everything that the product writes; without it, nothing is kept. */
  homeDir?: string;
  /** Files and folders that no program is granted, whatever the configuration allows. Default: none. */
  withheld?: readonly string[];
}
