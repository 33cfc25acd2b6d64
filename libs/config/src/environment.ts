import { environmentKeys, typeText } from './config-keys.js';
import type { KeyNode } from './key-tree.js';
import { shorten } from './key-path.js';
import { ProblemList } from './problem-list.js';
import { readVariable } from './references.js';

const posixVariables = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TERM', 'TMPDIR', 'USER', 'SHELL'];
const windowsVariables = [
  ...posixVariables,
  ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATHEXT', 'PROCESSOR_ARCHITECTURE'],
  ...[
    'PROGRAMDATA',
    'PROGRAMFILES',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'TMP',
    'USERNAME',
    'USERPROFILE',
    'WINDIR',
  ],
];

/**
 * The variables that a child process needs to work at all (search path, home, language, folders of the system) and no
 * others: no tokens, no settings of other programs.
 */
export function baseEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  // Windows ignores case: `Path`, `SystemRoot`.
  const names = new Set(platform === 'win32' ? windowsVariables : posixVariables);
  const fold = (name: string) => (platform === 'win32' ? name.toUpperCase() : name);
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => names.has(fold(entry[0])) && entry[1] !== undefined,
    ),
  );
}

/** The keys that the environment sets, and what is wrong with its values. */
export function readEnvironment(env: NodeJS.ProcessEnv): {
  values: { path: string[]; value: string | number | boolean }[];
  problems: ProblemList;
} {
  const values: { path: string[]; value: string | number | boolean }[] = [];
  const problems = new ProblemList();
  for (const { path, node, variable } of environmentKeys()) {
    const text = readVariable(env, variable);
    if (text === undefined) continue;
    const value = parseVariable(text, node);
    if (value === undefined) {
      problems.add(
        () =>
          `${variable} is ${shorten(text)} (expected ${node.type === 'boolean' ? 'true or false' : typeText(node)})`,
      );
    } else values.push({ path, value });
  }
  return { values, problems };
}

function parseVariable(text: string, node: KeyNode): string | number | boolean | undefined {
  if (node.type === 'boolean') {
    const word = text.toLowerCase();
    return word === 'true' || word === 'false' ? word === 'true' : undefined;
  }
  if (node.type === 'integer') {
    // Decimal digits only: `Number()` also takes "1e9", "0x10", " 5" and "".
    const value = /^(0|[1-9]\d*)$/.test(text) ? Number(text) : NaN;
    return value >= (node.minimum ?? 0) && value <= (node.maximum ?? Infinity) ? value : undefined;
  }
  if (node.enum) return node.enum.find((word) => word === text.toLowerCase());
  return text === '' ? undefined : text;
}
