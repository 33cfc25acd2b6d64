import { resolve } from 'node:path';

import { CodeExecutorError } from '@code-executor/contracts';

import { configKeys, isLeaf, nodeAt } from './config-keys.js';
import { configPlaces, findConfigFile, homeDirectory, productHome } from './config-file.js';
import { readEnvironment } from './environment.js';
import { dotted, type KeyPath, shorten } from './key-path.js';
import { parseJson } from './parse-json.js';
import { ProblemList } from './problem-list.js';
import { expandEntry, readVariable, referencedVariable } from './references.js';
import { isTree, put, type Retired, retireKeys } from './retired-keys.js';
import { type Config, configSchema } from './schema.js';
import { addSchemaProblems } from './schema-problems.js';
import { toUpstreamServer } from './server-entry.js';
import { whyUnusable } from './usable-place.js';

export interface LoadConfigOptions {
  /** Where relative paths begin and the project's file lies. Default: the working directory. */
  cwd?: string;
  /** The user's home folder. Default: as the operating system says. */
  home?: string;
  /** Default: `process.env`. */
  env?: NodeJS.ProcessEnv;
  /** The only file to read, as given with `--config`; it must exist. */
  file?: string;
}

/** Where a value comes from; `default` is the default of the library that reads it. */
export type ConfigOrigin = 'default' | 'file' | 'env';

export interface LoadedConfig {
  /** What was set; everything else is absent. */
  config: Config;
  /** By dotted key: every key without a `<name>` in it, and the named ones that are set. */
  origins: Map<string, ConfigOrigin>;
  /**
   * The folder for everything that the product writes: `CODE_EXECUTOR_HOME`, else `~/.code-executor`; it need not
   * exist. Absent for users without a home who do not set it.
   */
  homeDir?: string;
  /** The absolute path of the file that was read, if any. */
  file?: string;
  /** The absolute paths where a file was looked for, of which the first that is there counts. */
  places: string[];
  /** For the user's eyes: what works, but should be changed. */
  warnings: string[];
}

/**
 * Reads the configuration: environment over file, the file being the first one found. Rejects with a
 * `CodeExecutorError`: `invalid_argument` when a value is wrong (all problems in one message),
 * `failed_precondition` when the file cannot be used, or a place to write to never can.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  const { cwd = process.cwd(), home = homeDirectory(), env = process.env, file } = options;
  const found = await findConfigFile({ cwd, home, env, file });
  const environment = readEnvironment(env);
  const content = readContent(found?.text ?? '{}', environment.values, env);
  const complaints = [
    ...(content.problems.count > 0
      ? [content.problems.report(`Configuration file ${found?.path ?? ''}`)]
      : []),
    ...(environment.problems.count > 0 ? [environment.problems.report('The environment')] : []),
  ];
  if (complaints.length > 0) throw new CodeExecutorError('invalid_argument', complaints.join('\n'));
  const homeDir = productHome({ cwd, home, env });
  await checkPlaces({ cwd, audit: content.config.audit, homeDir: env['CODE_EXECUTOR_HOME'] && homeDir });
  const overridden = environment.values.map(({ path }) => dotted(path));
  return {
    config: content.config,
    origins: originsOf(content.config, overridden),
    ...(homeDir !== undefined && { homeDir }),
    ...(found && { file: found.path }),
    places: configPlaces({ cwd, home, env, file }),
    warnings: content.warnings.map((warning) => `Configuration file ${found?.path ?? ''}: ${warning}.`),
  };
}

/** Rather at the start than when the first file is written there. */
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

export interface Content {
  config: Config;
  problems: ProblemList;
  warnings: string[];
}

/** The content of the file with the values of the environment laid over it. */
export function readContent(
  text: string,
  overrides: { path: string[]; value: unknown }[],
  env: NodeJS.ProcessEnv,
): Content {
  const { value: tree, problems } = parseJson(text);
  if (tree === undefined) return { config: {}, problems, warnings: [] };
  const secrets = new Set<string>();
  let retired: Retired = { warnings: [], oldNames: new Map() };
  if (isTree(tree)) {
    retired = retireKeys(tree, problems);
    resolveReferences(tree, env, problems, secrets);
    for (const { path, value } of overrides) put(tree, path, value, true);
  }
  const { warnings, oldNames } = retired;
  const parsed = configSchema.safeParse(tree);
  if (parsed.success) {
    return { config: expandServers(parsed.data, env, problems, warnings), problems, warnings };
  }
  addSchemaProblems(problems, parsed.error, tree, {
    isSecret: (path) => secrets.has(dotted(path)),
    nameOf: (path) => oldNames.get(dotted(path)) ?? dotted(path),
  });
  return { config: {}, problems, warnings };
}

/** Replaces `env:NAME` everywhere but in `mcpServers`, whose forms are resolved entry by entry. */
function resolveReferences(
  tree: Record<string, unknown>,
  env: NodeJS.ProcessEnv,
  problems: ProblemList,
  secrets: Set<string>,
): void {
  const visit = (value: unknown, path: KeyPath): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => visit(item, [...path, index]));
    if (isTree(value)) {
      for (const key of Object.keys(value)) value[key] = visit(value[key], [...path, key]);
      return value;
    }
    const variable = typeof value === 'string' ? referencedVariable(value) : undefined;
    if (variable === undefined) return value;
    secrets.add(dotted(path));
    const found = readVariable(env, variable);
    if (found === undefined) problems.add(() => unsetVariable(dotted(path), variable));
    return found ?? value;
  };
  for (const key of Object.keys(tree)) {
    if (key !== 'mcpServers') tree[key] = visit(tree[key], [key]);
  }
}

function unsetVariable(key: string, variable: string): string {
  return `${key} asks for the environment variable ${shorten(variable)}, which is not set`;
}

function expandServers(
  config: Config,
  env: NodeJS.ProcessEnv,
  problems: ProblemList,
  warnings: string[],
): Config {
  if (!config.mcpServers) return config;
  const expanded = Object.entries(config.mcpServers).map(([name, entry]) => {
    const key = dotted(['mcpServers', name]);
    if (entry.disabled === true) return [name, entry] as const;
    const resolved = expandEntry(entry, env, (form, field) => {
      const place = dotted(['mcpServers', name, ...field]);
      const variable = referencedVariable(form);
      if (variable !== undefined) problems.add(() => unsetVariable(place, variable));
      else warnings.push(`${place} uses ${shorten(form)}, which is not set and stays as it is`);
    });
    const server = toUpstreamServer(resolved);
    if (typeof server === 'string') problems.add(() => `${key} ${server}`);
    return [name, resolved] as const;
  });
  return { ...config, mcpServers: Object.fromEntries(expanded) };
}

function originsOf(config: Config, fromEnvironment: readonly string[]): Map<string, ConfigOrigin> {
  const origins = new Map<string, ConfigOrigin>();
  for (const { key } of configKeys()) {
    if (!key.includes('<')) origins.set(key, 'default');
  }
  for (const key of setKeys(config, [])) origins.set(key, 'file');
  for (const key of fromEnvironment) origins.set(key, 'env');
  return origins;
}

function* setKeys(value: unknown, path: KeyPath): Generator<string> {
  const node = nodeAt(path);
  if (!node || isLeaf(node) || !isTree(value)) {
    yield dotted(path);
    return;
  }
  for (const [key, child] of Object.entries(value)) yield* setKeys(child, [...path, key]);
}
