import { existsSync } from 'node:fs';
import { basename, isAbsolute, resolve } from 'node:path';

import type { FailedServer } from '@code-executor/contracts';
import { closestMatch } from 'leven';

import { homeDirectory } from './config-file.js';
import { dotted } from './key-path.js';
import { isOwnServer } from './own-server.js';
import {
  type ProjectFile,
  ProjectTrust,
  type ReadProjectFile,
  type TrustOptions,
  withoutText,
} from './project-file.js';
import { lookUpIn } from './references.js';
import { isTree } from './retired-keys.js';
import type { Config } from './schema.js';
import { isFailed, readDefinition, type ServerDefinition } from './server-definitions.js';
import { toUpstreamServer, type UpstreamServerConfig } from './server-entry.js';
import {
  definitionsAt,
  maxServerFileBytes,
  missing,
  type OperatorFile,
  projectServerFile,
  readOperatorFile,
  type ReadServerFile,
  serversPath,
  suggestedServers,
  userFileIn,
} from './server-files.js';
import { notTrusted, notTrustedWarning, readSuggestion, waitingServers } from './suggestions.js';

const maxWarnings = 100;

export interface FindServersOptions extends TrustOptions {
  /** These come from the result of {@link loadConfig}. */
  config?: Pick<Config, 'mcpConfigPath' | 'projectOnly' | 'mcpServers' | 'policy'>;
  unusable?: readonly FailedServer[];
  notTrusted?: readonly FailedServer[];
  /** The path of our own bin, so that an entry that starts it is left out, whatever its name. */
  ownBin?: string;
  /** The result of an earlier call, used for a file that exists but cannot be read now, perhaps because it is half written. */
  operatorFiles?: OperatorFiles;
}

/** The last readable content of the operator's server files, by path. */
export type OperatorFiles = ReadonlyMap<string, ReadServerFile>;

export interface FoundServers {
  /** By name. */
  servers: Record<string, UpstreamServerConfig>;
  /** Servers that are configured or suggested and cannot be used, including those of the options; none is in `servers`. */
  unusable: FailedServer[];
  /** The working directory's server file, if it is trusted or could be. */
  projectFile?: ProjectFile;
  /** The operator's files that exist but cannot be read at all. */
  brokenFiles: string[];
  /** The content of the operator's files, or the last one that could be read. */
  operatorFiles: OperatorFiles;
  /** Messages for the user about files and entries that cannot be used, and why. */
  warnings: string[];
}

/**
 * The upstream servers of `~/.claude.json`, the project's `.mcp.json` once that is trusted, what `~/.claude.json` holds
 * for this project alone, and the configuration; for equal names, the later of these wins. Never rejects because of a file's
 * content: an entry that cannot be used is left out with a warning, and the others stay.
 */
export async function findServers(options: FindServersOptions = {}): Promise<FoundServers> {
  const { config = {} } = options;
  const warnings: string[] = [];
  const warn = (warning: string) => void warnings.push(warning);
  const defined = await readDefinitions(options, warn);
  const { definitions, suggestion, waiting } = defined;

  const unusable = [...(options.unusable ?? [])];
  const isSettled = (name: string) =>
    Object.hasOwn(config.mcpServers ?? {}, name) || unusable.some(({ server }) => server === name);
  const servers = await usableServers(options, definitions, { unusable, isSettled, warn });
  if (suggestion && waiting.length > 0) warn(notTrustedWarning(suggestion, waiting));
  const suggested = [...(options.notTrusted ?? []), ...(suggestion ? notTrusted(suggestion, waiting) : [])];
  // A suggested server never hides a configured one of the same name.
  for (const each of suggested) {
    if (!definitions.has(each.server) && !isSettled(each.server)) unusable.push(each);
  }
  const known = [...definitions.keys(), ...Object.keys(config.mcpServers ?? {})];
  warnOfUnknownServers(config.policy, [...known, ...unusable.map(({ server }) => server)], warn);
  const rest = warnings.length - maxWarnings;
  return {
    servers: Object.fromEntries(servers),
    unusable,
    ...(suggestion && { projectFile: withoutText(suggestion) }),
    brokenFiles: defined.brokenFiles,
    operatorFiles: defined.operatorFiles,
    warnings: rest > 0 ? [...warnings.slice(0, maxWarnings), `${rest} more warnings like these.`] : warnings,
  };
}

/** The servers that the files define. */
interface Definitions extends Pick<FoundServers, 'brokenFiles' | 'operatorFiles'> {
  /** Those that count, by name. */
  definitions: Map<string, ServerDefinition>;
  /** The working directory's file of servers. */
  suggestion: ReadProjectFile | undefined;
  /** Its servers, while it is not trusted. */
  waiting: ServerDefinition[];
}

async function readDefinitions(
  options: FindServersOptions,
  warn: (warning: string) => void,
): Promise<Definitions> {
  const { config = {}, cwd = process.cwd(), home = homeDirectory() } = options;
  const operatorFiles = new Map<string, ReadServerFile>();
  const brokenFiles: string[] = [];
  const definitions = new Map<string, ServerDefinition>();
  const add = (found: readonly ServerDefinition[]) => {
    for (const each of found) definitions.set(each.name, each);
  };
  const readOperators = async (file: OperatorFile) => {
    const onBroken = () => void brokenFiles.push(file.path);
    const now = await readOperatorFile(file, warn, onBroken);
    const read = brokenFiles.includes(file.path) ? options.operatorFiles?.get(file.path) : now;
    if (read) operatorFiles.set(file.path, read);
    return read;
  };

  const userFile =
    config.projectOnly === true || home === undefined ? undefined : await readOperators(userFileIn(home));
  if (userFile) add(definitionsAt(userFile, serversPath, warn));

  let suggestion: ReadProjectFile | undefined;
  let waiting: ServerDefinition[] = [];
  const named = config.mcpConfigPath;
  if (named !== undefined && isAbsolute(named)) {
    const file = { path: named, label: basename(named), maxBytes: maxServerFileBytes, isExpected: true };
    const own = await readOperators(file);
    if (own) add(definitionsAt(own, serversPath, warn));
  } else {
    suggestion = await readProjectFile(options, warn);
    if (suggestion) {
      const found = suggestedServers(suggestion, suggestion.isTrusted ? warn : () => undefined);
      if (suggestion.isTrusted) add(found);
      else waiting = await waitingServers(found);
    }
  }
  // This is where `claude mcp add` writes without a scope.
  if (isTree(userFile?.value)) {
    add(definitionsAt(userFile, ['projects', resolve(cwd), 'mcpServers'], warn));
  }
  return { definitions, suggestion, waiting, brokenFiles, operatorFiles };
}

async function readProjectFile(
  options: FindServersOptions,
  warn: (warning: string) => void,
): Promise<ReadProjectFile | undefined> {
  const { config = {}, cwd = process.cwd(), home = homeDirectory(), env = process.env, trusted } = options;
  const trust = await ProjectTrust.load({ cwd, home, env, ...(trusted && { trusted }) });
  const path = projectServerFile(config, cwd);
  const suggestion = await readSuggestion(path, trust, warn);
  if (!suggestion && config.mcpConfigPath !== undefined && !existsSync(path)) warn(missing(path));
  return suggestion;
}

/** The servers that can be connected, without the product itself. Adds the others to `unusable`. */
async function usableServers(
  { config = {}, cwd = process.cwd(), env = process.env, ownBin }: FindServersOptions,
  definitions: ReadonlyMap<string, ServerDefinition>,
  found: {
    unusable: FailedServer[];
    isSettled: (name: string) => boolean;
    warn: (warning: string) => void;
  },
): Promise<Map<string, UpstreamServerConfig>> {
  const servers = new Map<string, UpstreamServerConfig>();
  for (const [name, definition] of definitions) {
    if (found.isSettled(name)) continue;
    const entry = readDefinition(definition, lookUpIn(env), found.warn);
    if (isFailed(entry)) found.unusable.push(entry);
    else addServer(servers, name, entry);
  }
  for (const [name, entry] of Object.entries(config.mcpServers ?? {})) addServer(servers, name, entry);
  for (const [name, server] of servers) {
    if ('command' in server && (await isOwnServer(server, { cwd, ownBin }))) servers.delete(name);
  }
  return servers;
}

/** Only a warning, because the servers depend on the working directory, and one file may hold the rules for all. */
function warnOfUnknownServers(
  policy: Config['policy'],
  known: readonly string[],
  warn: (warning: string) => void,
): void {
  for (const name of Object.keys(policy?.servers ?? {})) {
    if (known.includes(name)) continue;
    const nearest = closestMatch(name, known, { maxDistance: Math.max(2, Math.floor(name.length / 3)) });
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    const rules = dotted(['policy', 'servers', name]);
    warn(`${rules} counts for nothing here: no server of that name is configured.${hint}`);
  }
}

function addServer(
  servers: Map<string, UpstreamServerConfig>,
  name: string,
  entry: Parameters<typeof toUpstreamServer>[0],
): void {
  const server = entry.disabled === true ? undefined : toUpstreamServer(entry);
  if (typeof server === 'object') servers.set(name, server);
}
