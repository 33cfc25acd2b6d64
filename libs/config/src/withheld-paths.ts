import { isAbsolute, join, resolve } from 'node:path';

import { homeDirectory, productHome } from './config-file.js';
import type { LoadConfigOptions } from './load-config.js';
import { readVariable } from './references.js';
import type { Config } from './schema.js';

/**
 * The paths that no program may be granted, whatever the configuration allows: the product's home, its audit log and its
 * packages, and every place where this server, or another one of the same user, looks for its configuration and servers.
 * The paths are absolute and need not exist.
 */
export function withheldPaths({
  config = {},
  cwd = process.cwd(),
  home = homeDirectory(),
  env = process.env,
  file,
}: LoadConfigOptions & { config?: Config } = {}): string[] {
  const inHome = (...segments: string[]) => (home === undefined ? undefined : join(home, ...segments));
  const xdg = readVariable(env, 'XDG_CONFIG_HOME') ?? '';
  const configHome = isAbsolute(xdg) ? xdg : inHome('.config');
  const paths = [
    inHome('.code-executor'),
    productHome({ cwd, home, env }),
    inHome('.code-executor.json'),
    inHome('.claude.json'),
    configHome && join(configHome, 'code-executor'),
    file,
    readVariable(env, 'CODE_EXECUTOR_CONFIG_PATH'),
    '.code-executor.json',
    '.mcp.json',
    config.mcpConfigPath,
    config.audit?.path,
    config.executors?.python?.packagesDir,
    config.executors?.typescript?.denoPath,
  ];
  return [
    ...new Set(
      paths.filter((path) => path !== undefined && path !== '').map((path) => resolve(cwd, path ?? '')),
    ),
  ];
}
