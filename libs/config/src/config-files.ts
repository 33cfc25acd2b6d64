import { configPlaces, homeDirectory } from './config-file.js';
import { projectServerFile } from './server-files.js';
import type { LoadConfigOptions } from './load-config.js';
import type { Config } from './schema.js';
import { trustStorePath } from './trust-store.js';

/**
 * The absolute paths of the files that decide what {@link loadConfig} and {@link findServers} return, whether they
 * exist or not; without `~/.claude.json`, which its client writes all the time. Never rejects.
 */
export async function configFiles(
  options: LoadConfigOptions & { config?: Pick<Config, 'mcpConfigPath'> } = {},
): Promise<string[]> {
  const { cwd = process.cwd(), home = homeDirectory(), env = process.env, file, config = {} } = options;
  const search = { cwd, home, env, file };
  try {
    const { own, project } = await configPlaces(search);
    const store = trustStorePath(search);
    return [
      ...own,
      ...(project === undefined ? [] : [project]),
      projectServerFile(config, cwd),
      ...(store === undefined ? [] : [store]),
    ];
  } catch {
    // A variable of the environment that should name a path is invalid.
    return [];
  }
}
