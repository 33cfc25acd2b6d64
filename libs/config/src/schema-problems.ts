import { closestMatch } from 'leven';
import type { z } from 'zod';

import { configKeys, isLeaf, nodeAt, typeText } from './config-keys.js';
import { dotted, type KeyPath, shorten } from './key-path.js';
import type { ProblemList } from './problem-list.js';
import { clientIdRule } from './schema/http.js';
import { serverNameRule } from './server-entry.js';

/** How to word the issues of the schema. */
export interface ProblemWording {
  /** The path of the checked value in the whole configuration. */
  prefix?: KeyPath;
  /** Whether the value came from the environment and must not be shown. */
  isSecret?: (path: KeyPath) => boolean;
  /** The name of a key in messages, which may differ from its path. */
  nameOf?: (path: KeyPath) => string;
}

/** Adds the issues of a value: the key, the received value, the allowed ones. */
export function addSchemaProblems(
  problems: ProblemList,
  error: z.ZodError,
  value: unknown,
  { prefix = [], isSecret = () => false, nameOf = dotted }: ProblemWording = {},
): void {
  for (const issue of error.issues) {
    const path = [...prefix, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) problems.add(() => unknownKey(path, key));
    } else if (issue.code === 'invalid_key') {
      problems.add(() => `${dotted(path)} is not a possible name (expected ${nameRule(path)})`);
    } else if (issue.code === 'custom') {
      problems.add(() => `${nameOf(path)} ${issue.message}`);
    } else {
      const isHidden = isPlaceOfSecrets(path) || isSecret(path);
      problems.add(() => {
        const node = nodeAt(path);
        const came = describeValue(valueAt(value, issue.path), isHidden);
        return `${nameOf(path)} is ${came}${node ? ` (expected ${typeText(node)})` : ''}`;
      });
    }
  }
}

/** Server definitions, also in files of clients, and keys that hold a password or refer to one. */
function isPlaceOfSecrets(path: KeyPath): boolean {
  return path.includes('mcpServers') || ['tokenHash', 'store'].includes(String(path.at(-1)));
}

function nameRule(path: KeyPath): string {
  const parent = nodeAt(path.slice(0, -1));
  if (parent && isLeaf(parent)) return 'a non-empty string';
  return path[0] === 'http' ? clientIdRule : serverNameRule;
}

function unknownKey(parent: KeyPath, key: string): string {
  const here = Object.keys(nodeAt(parent)?.properties ?? {});
  const short = key.slice(0, 60);
  const close = closestMatch(short, here, { maxDistance: Math.max(2, Math.floor(short.length / 2)) });
  const elsewhere = configKeys().find((known) => known.key.endsWith(`.${short}`))?.key;
  const nearest = close === undefined ? elsewhere : dotted([...parent, close]);
  const advice = nearest === undefined ? `the keys here are ${here.join(', ')}` : `did you mean ${nearest}?`;
  return `${dotted([...parent, key])} is not a known key; ${advice}`;
}

function describeValue(value: unknown, isHidden: boolean): string {
  if (typeof value === 'string') return isHidden ? 'a string' : `the string ${shorten(value)}`;
  if (typeof value === 'number') return isHidden ? 'a number' : `the number ${value}`;
  if (typeof value === 'boolean') return `the boolean ${value}`;
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : 'absent';
}

function valueAt(value: unknown, path: KeyPath): unknown {
  let found = value;
  for (const segment of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, segment)) return undefined;
    found = (found as Record<PropertyKey, unknown>)[segment];
  }
  return found;
}
