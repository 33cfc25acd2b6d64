import { CodeExecutorError } from '@code-executor/contracts';

import { type LateLogger, lateLogger } from './late-logger.js';
import { type FoundSettings, settingsReader } from './read-settings.js';

/** What the configuration says when the process starts. */
export interface FirstSettings {
  /** Undefined if the configuration cannot be used. */
  settings: FoundSettings | undefined;
  /** Why it cannot. */
  problem: string | undefined;
  /** Reads it again. */
  read: () => Promise<FoundSettings>;
  logger: LateLogger;
}

/** Reads the configuration and logs its warnings. */
export async function readFirstSettings(configFile: string | undefined): Promise<FirstSettings> {
  const read = settingsReader(configFile);
  try {
    const settings = await read();
    const logger = lateLogger(settings.config.log?.level ?? 'info');
    for (const warning of settings.warnings) logger.warn({}, warning);
    return { settings, problem: undefined, read, logger };
  } catch (error) {
    if (!CodeExecutorError.is(error)) throw error;
    return { settings: undefined, problem: error.message, read, logger: lateLogger('info') };
  }
}
