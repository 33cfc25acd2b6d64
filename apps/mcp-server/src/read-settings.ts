import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import {
  configFiles,
  findServers,
  type FoundServers,
  loadConfig,
  type OperatorFiles,
  type ProjectFile,
  readHealthCheck,
  withheldPaths,
} from '@code-executor/config';
import type { HostSettings } from '@code-executor/host';

/** What the files and the environment say at the moment. */
export interface FoundSettings
  extends
    Omit<HostSettings, 'servers' | 'unusable'>,
    Pick<FoundServers, 'servers' | 'unusable' | 'warnings'> {
  /** The files that were read, or would have been if they existed. */
  places: readonly string[];
  /** The operator's files of servers that cannot be read at the moment; their last content counts. */
  keptFiles: readonly string[];
  /** The configuration files of the working directory. */
  projectFiles: readonly ProjectFile[];
}

/**
 * Returns a function that reads all settings, as often as it is called. It rejects with a `CodeExecutorError` that says
 * what is wrong with the configuration. If the environment trusts the project, it trusts the files as they were when they
 * were first read, and none if that failed, so that a later change to them is not trusted.
 */
export function settingsReader(configFile: string | undefined): () => Promise<FoundSettings> {
  const ownBin = fileURLToPath(new URL('../bin/code-executor-mcp.js', import.meta.url));
  let trusted: ReadonlyMap<string, string> | undefined;
  let operatorFiles: OperatorFiles | undefined;
  return async () => {
    // A wrong value keeps the server from starting.
    readHealthCheck();
    const options = {
      ...(configFile !== undefined && { file: configFile }),
      ...(trusted && { trusted }),
    };
    try {
      const { config, unusable, notTrusted, warnings, homeDir, projectFile } = await loadConfig(options);
      const before = operatorFiles && { operatorFiles };
      const found = await findServers({ ...options, ...before, config, unusable, notTrusted, ownBin });
      operatorFiles = found.operatorFiles;
      const projectFiles = [projectFile, found.projectFile].flatMap((file) => file ?? []);
      trusted ??= new Map(
        projectFiles.filter((file) => file.byEnvironment).map(({ path, sha256 }) => [path, sha256]),
      );
      return {
        config,
        servers: found.servers,
        unusable: found.unusable,
        warnings: [...warnings, ...found.warnings],
        // A broken file is read again as soon as it changes.
        places: [...(await configFiles({ ...options, config })), ...found.brokenFiles],
        keptFiles: found.brokenFiles.filter((path) => found.operatorFiles.has(path)),
        projectFiles,
        withheld: [...withheldPaths({ ...options, config }), productFolder()],
        ...(homeDir !== undefined && { homeDir }),
      };
    } finally {
      trusted ??= new Map();
    }
  };
}

/** The files to watch if the configuration cannot be read. */
export function placesOf(configFile: string | undefined): Promise<string[]> {
  return configFiles(configFile === undefined ? {} : { file: configFile });
}

/** The folder in which the product and its packages are installed. */
function productFolder(): string {
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const [around, ...rest] = folder.split(`${sep}node_modules${sep}`);
  return rest.length > 0 && around !== undefined ? join(around, 'node_modules') : folder;
}
