import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { CodeExecutorError, type FailedServer } from '@code-executor/contracts';

import { configKeys, isLeaf, nodeAt } from './config-keys.js';
import {
  configPlaces,
  type FileSearch,
  findConfigFile,
  homeDirectory,
  isOfProject,
  productHome,
} from './config-file.js';
import { type Content, type Overrides, readContent, validate } from './content.js';
import { readEnvironment } from './environment.js';
import { dotted, type KeyPath } from './key-path.js';
import { narrowConfig } from './narrow-config.js';
import {
  type ProjectFile,
  ProjectTrust,
  type ReadProjectFile,
  type TrustOptions,
  withoutText,
} from './project-file.js';
import { type LookUp, lookUpIn, readVariable, unread } from './references.js';
import { isTree, put } from './retired-keys.js';
import type { Config } from './schema.js';
import { isFailed, readDefinition } from './server-definitions.js';
import { notTrusted, notTrustedWarning, readSuggestion, waitingServers } from './suggestions.js';
import { whyUnusable } from './usable-place.js';

export interface LoadConfigOptions extends TrustOptions {
  /** The only file to read, as given with `--config`; it must exist. */
  file?: string;
}

/** Where a value comes from; `default` is the default of the library that reads it. */
export type ConfigOrigin = 'default' | 'file' | 'env';

export interface LoadedConfig {
  /** The keys that are set; everything else is absent. */
  config: Config;
  /** Servers that are configured here and cannot be used. */
  unusable: FailedServer[];
  /** Servers that the working directory's file would add if it were trusted. */
  notTrusted: FailedServer[];
  /** The origin of each value, by dotted key: every key without a `<name>`, and those with a name that are set. */
  origins: Map<string, ConfigOrigin>;
  /**
   * The folder for everything that the product writes: `CODE_EXECUTOR_HOME`, or `~/.code-executor`; it need not
   * exist. Absent for users without a home who do not set it.
   */
  homeDir?: string;
  /** The absolute path of the operator's file that was read, if any. */
  file?: string;
  /** The working directory's own file, if it is trusted or could be. */
  projectFile?: ProjectFile;
  /** Messages for the user about what works but should be changed. */
  warnings: string[];
}

/**
 * Reads the configuration. The environment overrides the file, which is the first of the operator's files that exists.
 * The file of the working directory overrides it once it is trusted, and may only narrow it. Rejects with a
 * `CodeExecutorError`: `invalid_argument` if a value is wrong (all problems in one message), `failed_precondition` if the
 * file, or a place to write to, can never be used. A server with a wrong definition is left out, and only that server.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  const { cwd = process.cwd(), home = homeDirectory(), env = process.env, file, trusted } = options;
  const search = { cwd, home, env, file };
  const warnings: string[] = [];
  const warn = (warning: string) => void warnings.push(warning);
  const own = await readOwn(search);
  const { found, overrides } = own;
  warnings.push(...own.content.warnings);

  const trust = await ProjectTrust.load({ cwd, home, env, ...(trusted && { trusted }) });
  if (trust.problem !== undefined) warn(`No project is trusted: ${trust.problem}`);
  const { project, ignored } = await configPlaces(search);
  for (const path of ignored) {
    if (existsSync(path)) warn(`Configuration file ${path} lies in the working directory and is not read.`);
  }
  const suggestion = project === undefined ? undefined : await readSuggestion(project, trust, warn);

  let { config } = own.content;
  const definitions = new Map(own.content.servers.map((server) => [server.name, server]));
  const unusable: FailedServer[] = [];
  let suggested: FailedServer[] = [];
  if (suggestion) {
    // No variable is read for a file that is not approved.
    const content = readSuggested(suggestion, suggestion.isTrusted ? lookUpIn(env) : unread);
    if (suggestion.isTrusted) {
      config = narrowed(own.content.config, content, overrides, suggestion, warn);
      for (const server of content.servers) definitions.set(server.name, server);
    } else {
      const waiting = await waitingServers(content.servers);
      if (waiting.length > 0 || content.problems.count > 0 || Object.keys(content.config).length > 0) {
        warn(notTrustedWarning(suggestion, waiting));
      }
      suggested = notTrusted(suggestion, waiting);
    }
  }
  const mcpServers: NonNullable<Config['mcpServers']> = {};
  for (const [name, definition] of definitions) {
    const read = readDefinition(definition, lookUpIn(env), warn);
    if (isFailed(read)) unusable.push(read);
    else mcpServers[name] = read;
  }
  if (definitions.size > 0) config = { ...config, mcpServers };

  const homeDir = await checkedHome(search, config.audit);
  return {
    config,
    unusable,
    notTrusted: suggested,
    origins: originsOf(
      config,
      overrides.map(({ path }) => dotted(path)),
    ),
    ...(homeDir !== undefined && { homeDir }),
    ...(found && { file: found.path }),
    ...(suggestion && { projectFile: withoutText(suggestion) }),
    warnings,
  };
}

/** The product's folder, if it and the places in the configuration can be used; rejects if not. */
async function checkedHome(search: FileSearch, audit: Config['audit']): Promise<string | undefined> {
  const { cwd, env } = search;
  const homeDir = productHome(search);
  const homeSet = readVariable(env, 'CODE_EXECUTOR_HOME') === undefined ? undefined : homeDir;
  await checkPlaces({ cwd, audit, homeDir: homeSet });
  if (homeSet !== undefined && (await isOfProject(homeSet, search))) {
    // Files there are trusted: memory that Python starts from, packages, tool lists.
    const problem = 'CODE_EXECUTOR_HOME lies in the working directory, which could bring its own';
    throw new CodeExecutorError('failed_precondition', `${problem}; choose a folder elsewhere.`);
  }
  return homeDir;
}

/** The operator's file and the environment; rejects if one of them is wrong. */
export async function readOwn(
  search: FileSearch,
): Promise<{ found: { path: string } | undefined; content: Content; overrides: Overrides[] }> {
  const found = await findConfigFile(search);
  const environment = readEnvironment(search.env);
  const path = found?.path ?? '';
  const file = { path, label: 'the configuration' };
  const content = readContent(found?.text ?? '{}', file, environment.values, lookUpIn(search.env));
  const complaints = [
    ...(content.problems.count > 0 ? [content.problems.report(`Configuration file ${path}`)] : []),
    ...(environment.problems.count > 0 ? [environment.problems.report('The environment')] : []),
  ];
  if (complaints.length > 0) throw new CodeExecutorError('invalid_argument', complaints.join('\n'));
  return { found, content, overrides: environment.values };
}

/** Fails at the start, not only when the first file is written there. */
async function checkPlaces(places: {
  cwd: string;
  audit: Config['audit'];
  homeDir: string | undefined;
}): Promise<void> {
  const { cwd, audit, homeDir } = places;
  const auditPath = audit?.enabled === false ? undefined : audit?.path;
  for (const [key, path] of [
    ['CODE_EXECUTOR_HOME', homeDir],
    ['audit.path', auditPath],
  ] as const) {
    const problem = path && (await whyUnusable(resolve(cwd, path)));
    if (problem)
      throw new CodeExecutorError('failed_precondition', `${key} ${problem}; choose another folder.`);
  }
}

/** The content of a file of the working directory. */
export function readSuggested(file: ReadProjectFile, lookUp: LookUp): Content {
  return readContent(file.text, { path: file.path, label: '.code-executor.json' }, [], lookUp);
}

/** The operator's configuration, overridden by a trusted one of the working directory, and both by the environment. */
function narrowed(
  own: Config,
  { config: wish, problems }: Content,
  overrides: readonly Overrides[],
  { path }: ReadProjectFile,
  warn: (warning: string) => void,
): Config {
  const { config, cut } = narrowConfig(own, wish);
  for (const override of overrides) put(config, override.path, override.value, true);
  // Each one is valid by itself; together they may not be.
  if (problems.count === 0) validate(config, problems);
  if (problems.count > 0) {
    throw new CodeExecutorError('invalid_argument', problems.report(`Configuration file ${path}`));
  }
  for (const key of cut) {
    warn(
      `Configuration file ${path}: ${key} would allow more than your own configuration does, which counts.`,
    );
  }
  return config;
}

function originsOf(config: Config, fromEnvironment: readonly string[]): Map<string, ConfigOrigin> {
  const origins = new Map<string, ConfigOrigin>();
  for (const { key } of configKeys()) {
    if (!key.includes('<')) origins.set(key, 'default');
  }
  for (const { path } of setKeys(config)) origins.set(dotted(path), 'file');
  for (const key of fromEnvironment) origins.set(key, 'env');
  return origins;
}

/** The keys that are set, with their values. */
export function* setKeys(value: unknown, path: KeyPath = []): Generator<{ path: KeyPath; value: unknown }> {
  const node = nodeAt(path);
  if (!node || isLeaf(node) || !isTree(value)) {
    yield { path, value };
    return;
  }
  for (const [key, child] of Object.entries(value)) yield* setKeys(child, [...path, key]);
}
