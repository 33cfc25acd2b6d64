import type { Config, FoundServers } from '@code-executor/config';

/** The configuration of a host, and the servers that were found. */
export interface HostSettings extends Partial<Pick<FoundServers, 'servers' | 'unusable'>> {
  config: Config;
  /** The folder for everything that the product writes; without it, nothing is kept. */
  homeDir?: string;
  /** Files and folders that no program is granted, whatever the configuration allows. Default: none. */
  withheld?: readonly string[];
}
