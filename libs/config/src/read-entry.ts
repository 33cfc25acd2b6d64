import leven from 'leven';

import { dotted, type KeyPath, shorten } from './key-path.js';
import { ProblemList } from './problem-list.js';
import { expandEntry, type LookUp, referencedVariable } from './references.js';
import { isTree } from './retired-keys.js';
import { addSchemaProblems } from './schema-problems.js';
import { foreignServerEntry, type ServerEntry, serverEntryShape, toUpstreamServer } from './server-entry.js';

/** Where a definition is. */
export interface EntryPlace {
  /** The path within its file. */
  path: KeyPath;
  lookUp: LookUp;
  /** Called with messages about what works but should be changed. */
  warn: (what: string) => void;
}

/** A usable definition, or why it cannot be used. */
export type ReadEntry = { entry: ServerEntry } | { why: string; isVariableUnset: boolean };

/** Other clients' names for keys that we have, too. Ignoring them would change the meaning of the entry. */
const otherNames = new Map([
  ['serverUrl', 'url'],
  ['httpUrl', 'url'],
  ['uri', 'url'],
  ['cmd', 'command'],
  ['environment', 'env'],
  ['envs', 'env'],
  ['envFile', 'env'],
  ['env_vars', 'env'],
  ['http_headers', 'headers'],
  ['env_http_headers', 'headers'],
  ['bearer_token_env_var', 'headers'],
]);
/** Keys that limit the tools of a server in other clients. */
const toolLimits = [
  'includeTools',
  'excludeTools',
  'enabled_tools',
  'disabled_tools',
  'disabledTools',
  'allowedTools',
];
const knownKeys = Object.keys(serverEntryShape);

/**
 * Reads one server definition, ours or another client's. Keys that only other clients need are ignored; a key that we
 * would misunderstand makes the definition unusable.
 */
export function readEntry(value: unknown, { path, lookUp, warn }: EntryPlace): ReadEntry {
  const unusable = (why: string, isVariableUnset = false): ReadEntry => ({ why, isVariableUnset });
  const parsed = foreignServerEntry.safeParse(value);
  if (!parsed.success) {
    // The definition of a disabled server need not be valid.
    if (isTree(value) && value['disabled'] === true) return { entry: { disabled: true } };
    const problems = new ProblemList();
    addSchemaProblems(problems, parsed.error, value, { prefix: path });
    return unusable(problems.texts.slice(0, 3).join('; '));
  }
  if (parsed.data.disabled === true) return { entry: parsed.data };
  for (const [key, setting] of Object.entries(isTree(value) ? value : {})) {
    if (knownKeys.includes(key)) continue;
    const meant = key === 'enabled' && setting === false ? 'disabled' : meantKey(key);
    if (meant !== undefined) {
      return unusable(
        `${dotted([...path, key])} is not a known key; did you mean ${dotted([...path, meant])}?`,
      );
    }
    if (toolLimits.includes(key)) {
      const name = String(path.at(-1));
      warn(`${dotted([...path, key])} limits nothing here; see policy.servers.${name}.allow and deny`);
    }
  }
  let unset: string | undefined;
  const entry = expandEntry(parsed.data, lookUp, (form, field) => {
    const variable = referencedVariable(form);
    const place = dotted([...path, ...field]);
    if (variable === undefined) warn(`${place} uses ${shorten(form)}, which is not set and stays as it is`);
    else unset ??= `${place} asks for the environment variable ${shorten(variable)}, which is not set`;
  });
  if (unset !== undefined) return unusable(unset, true);
  const server = toUpstreamServer(entry);
  return typeof server === 'string' ? unusable(`${dotted(path)} ${server}`) : { entry };
}

/** The key of ours that was probably meant, if any. */
function meantKey(key: string): string | undefined {
  if (otherNames.has(key)) return otherNames.get(key);
  if (key.length > 20) return undefined;
  const letters = (word: string) => Array.from(word).sort().join('');
  return knownKeys.find(
    (known) => letters(known) === letters(key) || leven(known, key) <= (known.length > 4 ? 2 : 1),
  );
}
