import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import { findServers, loadConfig, projectServerFile, withheldPaths } from '@code-executor/config';

import type { Setup } from './setup.js';
import { readVersion } from './version.js';

/** What the files and the environment say now; without a logger, which stays the same. */
export interface Prepared extends Omit<Setup, 'logger'> {
  /** The files that were read, or looked for. */
  places: readonly string[];
  /** The files of servers that are there and cannot be used. */
  unusable: readonly string[];
}

/** Rejects with a `CodeExecutorError` that says what is wrong with the configuration. */
export async function prepare(configFile: string | undefined): Promise<Prepared> {
  const named = configFile === undefined ? {} : { file: configFile };
  const loaded = await loadConfig(named);
  const { config, warnings, homeDir, places } = loaded;
  const ownBin = fileURLToPath(new URL('../bin/code-executor-mcp.js', import.meta.url));
  const unusable: string[] = [];
  const found = await findServers({ config, ownBin, onUnusable: (file) => unusable.push(file) });
  return {
    config,
    servers: found.servers,
    warnings: [...warnings, ...found.warnings],
    version: readVersion(),
    places: [...places, projectServerFile({ config })],
    unusable,
    withheld: [...withheldPaths({ ...named, config }), productFolder()],
    ...(homeDir !== undefined && { homeDir }),
  };
}

/** Where the product and what it is made of are installed. */
function productFolder(): string {
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const [around, ...rest] = folder.split(`${sep}node_modules${sep}`);
  return rest.length > 0 && around !== undefined ? join(around, 'node_modules') : folder;
}
