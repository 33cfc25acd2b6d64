import { join, resolve } from 'node:path';

import { CodeExecutorError } from '@code-executor/contracts';

import { homeDirectory } from './config-file.js';
import { dotted, type KeyPath, shorten } from './key-path.js';
import { isOwnServer } from './own-server.js';
import { type ParsedJson, parseJson } from './parse-json.js';
import { ProblemList } from './problem-list.js';
import { ownershipProblem, readRegularFile } from './read-file.js';
import { expandEntry } from './references.js';
import { isTree } from './retired-keys.js';
import type { Config } from './schema.js';
import { addSchemaProblems } from './schema-problems.js';
import {
  foreignServerEntry,
  serverNamePattern,
  serverNameRule,
  toUpstreamServer,
  type UpstreamServerConfig,
} from './server-entry.js';

const megabyte = 1024 * 1024;
/** The user's file holds the client's history too. */
const maxUserFileBytes = 64 * megabyte;
const maxProjectFileBytes = megabyte;
const maxServersPerFile = 500;
const maxWarnings = 100;

export interface FindServersOptions {
  /** What {@link loadConfig} returned. */
  config?: Pick<Config, 'mcpConfigPath' | 'projectOnly' | 'mcpServers'>;
  /** Where relative paths begin. Default: the working directory. */
  cwd?: string;
  /** The user's home folder. Default: as the operating system says. */
  home?: string;
  /** Default: `process.env`. */
  env?: NodeJS.ProcessEnv;
  /** The path of our own bin, so that an entry that starts it is left out whatever it is called. */
  ownBin?: string;
  /** Told the path of each file that is there and cannot be used at all. */
  onUnusable?: (file: string) => void;
}

export interface FoundServers {
  /** By name. */
  servers: Record<string, UpstreamServerConfig>;
  /** For the user's eyes: files and entries that could not be used, and why. */
  warnings: string[];
}

/** Where a definition stands, and what stands there. */
interface Definition {
  entry: unknown;
  file: string;
  path: KeyPath;
}

/**
 * The upstream servers of `~/.claude.json`, the project's `.mcp.json`, what `~/.claude.json` holds for
 * this project alone, and the configuration; for equal names the later of these wins. Never rejects for a file's content: what cannot be used is left out
 * with a warning, the rest is unharmed.
 */
export async function findServers(options: FindServersOptions = {}): Promise<FoundServers> {
  const { config = {}, cwd = process.cwd(), home = homeDirectory(), env = process.env, ownBin } = options;
  const { onUnusable } = options;
  const warnings: string[] = [];
  const definitions = new Map<string, Definition>();
  const userFile =
    config.projectOnly === true || home === undefined
      ? undefined
      : await readServerFile(
          { path: join(home, '.claude.json'), maxBytes: maxUserFileBytes, onUnusable },
          warnings,
        );
  if (userFile) addDefinitions(userFile, ['mcpServers'], definitions, warnings);
  const project = {
    path: projectServerFile({ config, cwd }),
    maxBytes: maxProjectFileBytes,
    isExpected: config.mcpConfigPath !== undefined,
    isServerFile: true,
    onUnusable,
  };
  const projectFile = await readServerFile(project, warnings);
  if (projectFile) addDefinitions(projectFile, ['mcpServers'], definitions, warnings);
  // What `claude mcp add` writes when no scope is named.
  if (isTree(userFile?.value))
    addDefinitions(userFile, ['projects', resolve(cwd), 'mcpServers'], definitions, warnings);

  const servers = new Map<string, UpstreamServerConfig>();
  for (const [name, definition] of definitions) {
    if (Object.hasOwn(config.mcpServers ?? {}, name)) continue;
    const server = readServer(name, definition, env, warnings);
    if (server) servers.set(name, server);
  }
  for (const [name, entry] of Object.entries(config.mcpServers ?? {})) {
    const server = entry.disabled === true ? undefined : toUpstreamServer(entry);
    if (typeof server === 'object') servers.set(name, server);
  }
  for (const [name, server] of servers) {
    if ('command' in server && (await isOwnServer(server, { cwd, ownBin }))) servers.delete(name);
  }
  const rest = warnings.length - maxWarnings;
  return {
    servers: Object.fromEntries(servers),
    warnings: rest > 0 ? [...warnings.slice(0, maxWarnings), `${rest} more warnings like these.`] : warnings,
  };
}

/** The absolute path of the project's file, whether it is there or not. */
export function projectServerFile({ config = {}, cwd = process.cwd() }: FindServersOptions = {}): string {
  return resolve(cwd, config.mcpConfigPath ?? '.mcp.json');
}

interface ServerFile {
  path: string;
  maxBytes: number;
  onUnusable: FindServersOptions['onUnusable'] | undefined;
  /** Whether the user asked for this file. */
  isExpected?: boolean;
  /** Whether the file is there for nothing but servers. */
  isServerFile?: boolean;
}

interface ReadServerFile {
  path: string;
  value: unknown;
  isServerFile: boolean;
}

/** Undefined, with a warning unless the file is just not there, where there is nothing to read. */
async function readServerFile(
  { path, maxBytes, onUnusable, isExpected = false, isServerFile = false }: ServerFile,
  warnings: string[],
): Promise<ReadServerFile | undefined> {
  const warn = (what: string) => {
    warnings.push(`MCP server file ${path} ${what}.`);
  };
  const file = await readRegularFile(path, { maxBytes, followLink: true }).catch((reason: unknown) => {
    warnings.push(`MCP servers are missing: ${CodeExecutorError.from(reason).message}`);
    return null;
  });
  if (file === undefined && isExpected) warn('does not exist; correct mcpConfigPath or MCP_CONFIG_PATH');
  if (file === null) onUnusable?.(path);
  if (!file) return undefined;

  const danger = ownershipProblem(file.ownership);
  if (danger !== undefined) warn(danger);
  const { value, problems } = isServerFile ? parseJson(file.text) : parseBigJson(file.text);
  for (const problem of problems.texts) warn(`is not as it should be: ${problem}`);
  if (value === undefined) {
    onUnusable?.(path);
    return undefined;
  }
  return { path, value, isServerFile };
}

/** Adds the servers that stand at a place of the file, over those of the same names. */
function addDefinitions(
  { path: file, value, isServerFile }: ReadServerFile,
  path: KeyPath,
  definitions: Map<string, Definition>,
  warnings: string[],
): void {
  const warn = (what: string) => {
    warnings.push(`MCP server file ${file} ${what}.`);
  };
  const listed = valueAt(value, path);
  if (listed === undefined && isTree(value) && !isServerFile) return;
  if (!isTree(listed)) {
    warn(`has no object ${path.length === 1 ? '"mcpServers"' : dotted(path)}`);
    return;
  }

  const entries = Object.entries(listed);
  if (entries.length > maxServersPerFile)
    warn(`has more than ${maxServersPerFile} servers; the rest is left out`);
  for (const [name, entry] of entries.slice(0, maxServersPerFile)) {
    // `__proto__` is a legal name by its characters, but not one that survives every copy.
    if (!serverNamePattern.test(name) || name === '__proto__') {
      warn(`has a server named ${shorten(name)}, which is left out; allowed are ${serverNameRule}`);
    } else definitions.set(name, { entry, file, path: [...path, name] });
  }
}

function valueAt(tree: unknown, path: KeyPath): unknown {
  let value = tree;
  for (const key of path) value = isTree(value) && Object.hasOwn(value, key) ? value[String(key)] : undefined;
  return value;
}

/** Files that programs write need no comments, and can be too big for any but the built-in parser. */
function parseBigJson(text: string): ParsedJson {
  try {
    return { value: JSON.parse(text) as unknown, problems: new ProblemList() };
  } catch {
    // Its message would quote the file.
    if (text.length <= megabyte) return parseJson(text);
    const problems = new ProblemList();
    problems.add(() => 'not valid JSON');
    return { problems };
  }
}

/** The server of a definition; undefined, with a warning, where it is not usable. */
function readServer(
  name: string,
  { entry, file, path }: Definition,
  env: NodeJS.ProcessEnv,
  warnings: string[],
): UpstreamServerConfig | undefined {
  if (isTree(entry) && entry['disabled'] === true) return undefined;
  const leftOut = (why: string) => {
    warnings.push(`MCP server ${name} in ${file} is left out: ${why}.`);
  };
  const parsed = foreignServerEntry.safeParse(entry);
  if (!parsed.success) {
    const problems = new ProblemList();
    addSchemaProblems(problems, parsed.error, entry, { prefix: path });
    leftOut(problems.texts.slice(0, 3).join('; '));
    return undefined;
  }
  const unset = new Set<string>();
  const server = toUpstreamServer(expandEntry(parsed.data, env, (form) => unset.add(form)));
  for (const form of unset) {
    warnings.push(
      `MCP server ${name} in ${file} uses ${shorten(form)}, which is not set and stays as it is.`,
    );
  }
  if (typeof server !== 'string') return server;
  leftOut(server);
  return undefined;
}
