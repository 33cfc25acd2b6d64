import { findServers, loadConfig } from '@code-executor/config';

import type { Terminal } from './terminal.js';

/** The configuration and the servers that it names; the terminal gets what is wrong with either. */
export async function loadServers({ config: file }: { config?: string }, terminal: Terminal) {
  const loaded = await loadConfig(file === undefined ? {} : { file });
  const { config, unusable, notTrusted, warnings } = loaded;
  const found = await findServers({ config, unusable, notTrusted });
  for (const warning of [...warnings, ...found.warnings]) terminal.note(warning);
  return { loaded, found };
}
