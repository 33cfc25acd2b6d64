import { existsSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';

import { CodeExecutorError, type FailedServer } from '@code-executor/contracts';
import { readRegularFile } from '@code-executor/files';
import { closestMatch } from 'leven';

import { homeDirectory } from './config-file.js';
import { dotted, type KeyPath } from './key-path.js';
import { isOwnServer } from './own-server.js';
import { type Flaw, parseJson } from './parse-json.js';
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
import {
  definitionsIn,
  isFailed,
  isInServers,
  readDefinition,
  type ServerDefinition,
} from './server-definitions.js';
import { toUpstreamServer, type UpstreamServerConfig } from './server-entry.js';
import { notTrusted, notTrustedWarning, readSuggestion, waitingServers } from './suggestions.js';

const megabyte = 1024 * 1024;
/** The user's file holds the client's history too. */
const maxUserFileBytes = 64 * megabyte;
const maxServerFileBytes = megabyte;
const maxWarnings = 100;
const serversPath: KeyPath = ['mcpServers'];

export interface FindServersOptions extends TrustOptions {
  /** What {@link loadConfig} returned; these four. */
  config?: Pick<Config, 'mcpConfigPath' | 'projectOnly' | 'mcpServers' | 'policy'>;
  unusable?: readonly FailedServer[];
  notTrusted?: readonly FailedServer[];
  /** The path of our own bin, so that an entry that starts it is left out whatever it is called. */
  ownBin?: string;
  /** What an earlier call returned: counts for a file that is there and cannot be read now, perhaps half written. */
  operatorFiles?: OperatorFiles;
}

/** What the operator's files of servers have said, by path. */
export type OperatorFiles = ReadonlyMap<string, ReadServerFile>;

export interface FoundServers {
  /** By name. */
  servers: Record<string, UpstreamServerConfig>;
  /** Servers that are configured or suggested and cannot be used, those of the options too; none is in `servers`. */
  unusable: FailedServer[];
  /** The working directory's file of servers, where it is trusted or could be. */
  projectFile?: ProjectFile;
  /** The operator's files that are there and cannot be read at all. */
  brokenFiles: string[];
  /** What they say, or said when they could be read. */
  operatorFiles: OperatorFiles;
  /** For the user's eyes: files and entries that could not be used, and why. */
  warnings: string[];
}

/**
 * The upstream servers of `~/.claude.json`, the project's `.mcp.json` once that is trusted, what `~/.claude.json` holds
 * for this project alone, and the configuration; for equal names the later of these wins. Never rejects for a file's
 * content: what cannot be used is left out with a warning, the rest is unharmed.
 */
export async function findServers(options: FindServersOptions = {}): Promise<FoundServers> {
  const { config = {}, cwd = process.cwd(), home = homeDirectory(), env = process.env, ownBin } = options;
  const { trusted } = options;
  const warnings: string[] = [];
  const warn = (warning: string) => void warnings.push(warning);
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
    const trust = await ProjectTrust.load({ cwd, home, env, ...(trusted && { trusted }) });
    const path = projectServerFile(config, cwd);
    suggestion = await readSuggestion(path, trust, warn);
    if (!suggestion && named !== undefined && !existsSync(path)) warn(missing(path));
    if (suggestion) {
      const found = suggestedServers(suggestion, suggestion.isTrusted ? warn : () => undefined);
      if (suggestion.isTrusted) add(found);
      else waiting = await waitingServers(found);
    }
  }
  // What `claude mcp add` writes when no scope is named.
  if (isTree(userFile?.value)) {
    add(definitionsAt(userFile, ['projects', resolve(cwd), 'mcpServers'], warn));
  }

  const unusable = [...(options.unusable ?? [])];
  const servers = new Map<string, UpstreamServerConfig>();
  const isSettled = (name: string) =>
    Object.hasOwn(config.mcpServers ?? {}, name) || unusable.some(({ server }) => server === name);
  for (const [name, definition] of definitions) {
    if (isSettled(name)) continue;
    const entry = readDefinition(definition, lookUpIn(env), warn);
    if (isFailed(entry)) unusable.push(entry);
    else addServer(servers, name, entry);
  }
  for (const [name, entry] of Object.entries(config.mcpServers ?? {})) addServer(servers, name, entry);
  for (const [name, server] of servers) {
    if ('command' in server && (await isOwnServer(server, { cwd, ownBin }))) servers.delete(name);
  }
  if (suggestion && waiting.length > 0) warn(notTrustedWarning(suggestion, waiting));
  const suggested = [...(options.notTrusted ?? []), ...(suggestion ? notTrusted(suggestion, waiting) : [])];
  // What is only suggested takes no name from what counts.
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
    brokenFiles,
    operatorFiles,
    warnings: rest > 0 ? [...warnings.slice(0, maxWarnings), `${rest} more warnings like these.`] : warnings,
  };
}

/** The absolute path of the project's file, whether it is there or not. */
export function projectServerFile({ mcpConfigPath = '.mcp.json' }: Config, cwd: string): string {
  return resolve(cwd, mcpConfigPath);
}

/** The servers that a file of the working directory defines. */
export function suggestedServers(
  { path, text }: ReadProjectFile,
  warn: (warning: string) => void,
): ServerDefinition[] {
  const { value, flaws } = parseJson(text);
  const file = { path, label: basename(path) };
  warnOfFlaws(file.path, flaws, warn);
  if (value === undefined) return [];
  const section = isTree(value) ? value['mcpServers'] : undefined;
  return definitionsIn(section, { file, path: serversPath, flaws }, warn);
}

/** No error: which servers there are depends on the working directory, and one file may hold the rules for all. */
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

interface OperatorFile {
  path: string;
  label: string;
  maxBytes: number;
  /** Whether the user asked for this file. */
  isExpected?: boolean;
}

/** A file of servers, as it was read. */
export interface ReadServerFile {
  path: string;
  label: string;
  value: unknown;
  flaws: readonly Flaw[];
  /** Whether the file is there for nothing but servers. */
  isServerFile: boolean;
}

/** The names of the servers that the user has in `~/.claude.json`. */
export async function userServerNames(home: string | undefined): Promise<string[]> {
  const silent = () => undefined;
  const file = home === undefined ? undefined : await readOperatorFile(userFileIn(home), silent, silent);
  return file ? definitionsAt(file, serversPath, silent).map(({ name }) => name) : [];
}

function userFileIn(home: string): OperatorFile {
  return { path: join(home, '.claude.json'), label: '~/.claude.json', maxBytes: maxUserFileBytes };
}

/** Undefined, with a warning unless the file is just not there, where there is nothing to read. */
async function readOperatorFile(
  { path, label, maxBytes, isExpected = false }: OperatorFile,
  warn: (warning: string) => void,
  onBroken: () => void,
): Promise<ReadServerFile | undefined> {
  try {
    const file = await readRegularFile(path, { maxBytes, writableBy: 'operator', followLink: true });
    if (!file) {
      if (isExpected) warn(missing(path));
      return undefined;
    }
    const { value, flaws } = isExpected ? parseJson(file.text()) : parseBigJson(file.text());
    warnOfFlaws(path, flaws, warn);
    if (value === undefined) onBroken();
    return value === undefined ? undefined : { path, label, value, flaws, isServerFile: isExpected };
  } catch (error) {
    warn(`MCP servers are missing: ${CodeExecutorError.from(error).message}`);
    onBroken();
    return undefined;
  }
}

function missing(path: string): string {
  return `MCP server file ${path} does not exist; correct mcpConfigPath or MCP_CONFIG_PATH.`;
}

/** What is wrong with a file as a whole; a definition's own flaws make that one unusable. */
function warnOfFlaws(path: string, flaws: readonly Flaw[], warn: (warning: string) => void): void {
  for (const flaw of flaws.filter((each) => !isInServers(each, serversPath)).slice(0, 20)) {
    warn(`MCP server file ${path} is not as it should be: ${flaw.text()}.`);
  }
}

/** The servers that stand at a place of a file. */
function definitionsAt(
  { path: file, label, value, flaws, isServerFile }: ReadServerFile,
  path: KeyPath,
  warn: (warning: string) => void,
): ServerDefinition[] {
  const section = valueAt(value, path);
  if (section === undefined && isTree(value) && !isServerFile) return [];
  return definitionsIn(section, { file: { path: file, label }, path, flaws }, warn);
}

function valueAt(tree: unknown, path: KeyPath): unknown {
  let value = tree;
  for (const key of path) value = isTree(value) && Object.hasOwn(value, key) ? value[String(key)] : undefined;
  return value;
}

/** Files that programs write need no comments, and can be too big for any but the built-in parser. */
function parseBigJson(text: string): ReturnType<typeof parseJson> {
  try {
    return { value: JSON.parse(text) as unknown, flaws: [] };
  } catch {
    // Its message would quote the file.
    if (text.length <= megabyte) return parseJson(text);
    return { flaws: [{ path: [], text: () => 'not valid JSON' }] };
  }
}
