import { dotted } from './key-path.js';
import type { ProblemList } from './problem-list.js';

type Tree = Record<string, unknown>;

/** Keys that moved: still read, with a warning. */
const movedKeys = [
  // An empty list meant "no ceiling" there, and means "nothing may be called" here.
  { from: ['security', 'allowedTools'], to: ['policy', 'ceiling'], isAbsent: isEmptyList },
  { from: ['security', 'enableAuditLog'], to: ['audit', 'enabled'], isAbsent: () => false },
  { from: ['security', 'auditLogPath'], to: ['audit', 'path'], isAbsent: () => false },
];

/** Keys that no longer exist, and why. */
const goneKeys = [
  {
    path: ['security', 'skipDangerousPatternCheck'],
    why: 'the pattern check blocks nothing, the sandbox does, so there is nothing to skip',
  },
  {
    path: ['executors', 'python', 'pythonPath'],
    why: 'Python runs in Pyodide, not in an installed interpreter',
  },
  { path: ['executors', 'python', 'version'], why: 'the version of Python is that of the Pyodide package' },
];

export interface Retired {
  warnings: string[];
  /** The old name of each key that moved, by its new name. */
  oldNames: Map<string, string>;
}

/** Removes the keys of older releases from a file's content; those that still count move to their new names. */
export function retireKeys(tree: Tree, problems: ProblemList): Retired {
  const retired: Retired = { warnings: [], oldNames: new Map() };
  for (const { from, to, isAbsent } of movedKeys) {
    const value = take(tree, from);
    if (value === undefined) continue;
    const [oldKey, newKey] = [dotted(from), dotted(to)];
    retired.warnings.push(`${oldKey} is now ${newKey}; please rename it`);
    if (isAbsent(value)) continue;
    if (put(tree, to, value)) retired.oldNames.set(newKey, oldKey);
    else problems.add(() => `${oldKey} is now ${newKey}, which is there too; keep only ${newKey}`);
  }
  for (const { path, why } of goneKeys) {
    if (take(tree, path) !== undefined) problems.add(() => `${dotted(path)} is gone: ${why}; remove it`);
  }
  return retired;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Removes a value, and the objects that are empty without it. */
function take(tree: Tree, path: readonly string[]): unknown {
  const [key = '', ...rest] = path;
  const value = tree[key];
  if (rest.length === 0) {
    Reflect.deleteProperty(tree, key);
    return value;
  }
  if (!isTree(value)) return undefined;
  const taken = take(value, rest);
  if (taken !== undefined && Object.keys(value).length === 0) Reflect.deleteProperty(tree, key);
  return taken;
}

/** Sets a value at a path; false if there is one already or the path leads through something else. */
export function put(tree: Tree, path: readonly string[], value: unknown, replace = false): boolean {
  const [key = '', ...rest] = path;
  if (rest.length === 0) {
    if (key in tree && !replace) return false;
    tree[key] = value;
    return true;
  }
  if (!(key in tree)) tree[key] = Object.create(null);
  const child = tree[key];
  return isTree(child) && put(child, rest, value, replace);
}

/** True for a JSON object, as opposed to lists and null. */
export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
