import { dotted, type KeyPath, shorten } from './key-path.js';
import { parseJson } from './parse-json.js';
import { ProblemList } from './problem-list.js';
import { type LookUp, referencedVariable } from './references.js';
import { isTree, put, type Retired, retireKeys } from './retired-keys.js';
import { type Config, configSchema } from './schema.js';
import { addSchemaProblems } from './schema-problems.js';
import { definitionsIn, isInServers, type ServerDefinition, type ServerFile } from './server-definitions.js';

export interface Overrides {
  path: string[];
  value: unknown;
}

/** The content of a configuration file. */
export interface Content {
  /** Everything except the servers. */
  config: Config;
  servers: ServerDefinition[];
  /** Problems that make the file unusable. */
  problems: ProblemList;
  /** What works but should be changed, as full sentences. */
  warnings: string[];
}

/** The content of a file, overridden by the values of the environment. */
export function readContent(
  text: string,
  file: ServerFile,
  overrides: readonly Overrides[],
  lookUp: LookUp,
): Content {
  const { value: tree, flaws } = parseJson(text);
  const problems = new ProblemList();
  const serversPath = ['mcpServers'];
  for (const flaw of flaws) if (!isInServers(flaw, serversPath)) problems.add(flaw.text);
  if (tree === undefined) return { config: {}, servers: [], problems, warnings: [] };

  const warnings: string[] = [];
  let servers: ServerDefinition[] = [];
  const secrets = new Set<string>();
  let retired: Retired = { warnings: [], oldNames: new Map() };
  if (isTree(tree)) {
    if ('mcpServers' in tree) {
      servers = definitionsIn(tree['mcpServers'], { file, path: serversPath, flaws }, (warning) =>
        warnings.push(warning),
      );
      delete tree['mcpServers'];
    }
    retired = retireKeys(tree, problems);
    resolveReferences(tree, lookUp, problems, secrets);
    for (const { path, value } of overrides) put(tree, path, value, true);
  }
  for (const warning of retired.warnings) warnings.push(`Configuration file ${file.path}: ${warning}.`);
  const config = validate(tree, problems, {
    isSecret: (path) => secrets.has(dotted(path)),
    nameOf: (path) => retired.oldNames.get(dotted(path)) ?? dotted(path),
  });
  return { config, servers, problems, warnings };
}

/** The value as a configuration. An invalid value adds problems and becomes an empty configuration. */
export function validate(
  value: unknown,
  problems: ProblemList,
  wording?: Parameters<typeof addSchemaProblems>[3],
): Config {
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  addSchemaProblems(problems, parsed.error, value, wording);
  return {};
}

/** Replaces `env:NAME` everywhere. */
function resolveReferences(
  tree: Record<string, unknown>,
  lookUp: LookUp,
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
    const found = lookUp(variable);
    if (found === undefined) {
      const what = `asks for the environment variable ${shorten(variable)}, which is not set`;
      problems.add(() => `${dotted(path)} ${what}`);
    }
    return found ?? value;
  };
  visit(tree, []);
}
