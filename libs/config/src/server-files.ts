import { basename, join, resolve } from 'node:path';

import { CodeExecutorError } from '@code-executor/contracts';
import { readRegularFile } from '@code-executor/files';

import type { KeyPath } from './key-path.js';
import { type Flaw, parseJson } from './parse-json.js';
import type { ReadProjectFile } from './project-file.js';
import { isTree } from './retired-keys.js';
import type { Config } from './schema.js';
import { definitionsIn, isInServers, type ServerDefinition } from './server-definitions.js';

const megabyte = 1024 * 1024;
/** The user's file also holds the client's history. */
const maxUserFileBytes = 64 * megabyte;
export const maxServerFileBytes = megabyte;
export const serversPath: KeyPath = ['mcpServers'];

/** The absolute path of the project's file, whether it exists or not. */
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

export interface OperatorFile {
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
  /** Whether the file holds nothing but servers. */
  isServerFile: boolean;
}

/** The names of the servers that the user has in `~/.claude.json`. */
export async function userServerNames(home: string | undefined): Promise<string[]> {
  const silent = () => undefined;
  const file = home === undefined ? undefined : await readOperatorFile(userFileIn(home), silent, silent);
  return file ? definitionsAt(file, serversPath, silent).map(({ name }) => name) : [];
}

export function userFileIn(home: string): OperatorFile {
  return { path: join(home, '.claude.json'), label: '~/.claude.json', maxBytes: maxUserFileBytes };
}

/** Undefined if there is nothing to read, with a warning unless the file may be absent. */
export async function readOperatorFile(
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

export function missing(path: string): string {
  return `MCP server file ${path} does not exist; correct mcpConfigPath or MCP_CONFIG_PATH.`;
}

/** Warns of flaws in a file as a whole; a flaw in a definition makes only that one unusable. */
function warnOfFlaws(path: string, flaws: readonly Flaw[], warn: (warning: string) => void): void {
  for (const flaw of flaws.filter((each) => !isInServers(each, serversPath)).slice(0, 20)) {
    warn(`MCP server file ${path} is not as it should be: ${flaw.text()}.`);
  }
}

/** The servers at a path of a file. */
export function definitionsAt(
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

/** Files that programs write have no comments, and can be too big for all parsers except the built-in one. */
function parseBigJson(text: string): ReturnType<typeof parseJson> {
  try {
    return { value: JSON.parse(text) as unknown, flaws: [] };
  } catch {
    // The message of its error would quote the file.
    if (text.length <= megabyte) return parseJson(text);
    return { flaws: [{ path: [], text: () => 'not valid JSON' }] };
  }
}
