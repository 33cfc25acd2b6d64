import type { Config, FoundServers } from '@code-executor/config';
import type { AuditSink, Logger } from '@code-executor/contracts';

/** What the services are made of: the configuration, and what was found beside it. */
export interface Setup extends Pick<FoundServers, 'servers' | 'unusable' | 'warnings'> {
  config: Config;
  /** The folder for everything that the product writes; without it, nothing is kept. */
  homeDir?: string;
  /** Files and folders that no program is granted, whatever the configuration allows. */
  withheld?: readonly string[];
  version: string;
  /** Gets every event, recorded or not. */
  observe?: AuditSink;
  logger: Logger;
}
