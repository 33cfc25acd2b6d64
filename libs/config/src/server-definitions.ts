import type { FailedServer } from '@code-executor/contracts';

import { dotted, type KeyPath, shorten } from './key-path.js';
import type { Flaw } from './parse-json.js';
import { readEntry } from './read-entry.js';
import type { LookUp } from './references.js';
import { isTree } from './retired-keys.js';
import { type ServerEntry, serverNamePattern, serverNameRule } from './server-entry.js';

const maxServersPerFile = 500;

/** A file with servers, under its names for two kinds of readers. */
export interface ServerFile {
  /** Its path, for the operator. */
  path: string;
  /** Its name without the folders of this machine, for programs and models. */
  label: string;
}

/** One definition of a server, as it is in a file. */
export interface ServerDefinition {
  name: string;
  value: unknown;
  file: ServerFile;
  /** Its path in the file. */
  path: KeyPath;
  /** Errors in its text, whatever it means. */
  fault?: string;
}

/** The definitions in an object of servers; problems of the object itself are warnings. */
export function definitionsIn(
  section: unknown,
  place: { file: ServerFile; path: KeyPath; flaws?: readonly Flaw[] },
  warn: (warning: string) => void,
): ServerDefinition[] {
  const { file, path, flaws = [] } = place;
  if (!isTree(section)) {
    warn(`MCP server file ${file.path} has no object ${path.length === 1 ? '"mcpServers"' : dotted(path)}.`);
    return [];
  }
  const entries = Object.entries(section).map(([name, value]) => ({ name, value }));
  if (entries.length > maxServersPerFile) {
    warn(`MCP server file ${file.path} has more than ${maxServersPerFile} servers; the rest is left out.`);
  }
  const faults = faultsByName(flaws, path);
  for (const name of faults.keys()) if (!(name in section)) entries.push({ name, value: undefined });
  return entries.slice(0, maxServersPerFile).map(({ name, value }) => {
    // `__proto__` is a legal name by its characters, but not one that survives every copy.
    const isName = serverNamePattern.test(name) && name !== '__proto__';
    const fault = isName ? faults.get(name) : `it is no name for a server; allowed are ${serverNameRule}`;
    const shown = isName ? name : shorten(name);
    return { name: shown, value, file, path: [...path, name], ...(fault !== undefined && { fault }) };
  });
}

/** The first flaw of the text in each definition. */
function faultsByName(flaws: readonly Flaw[], path: KeyPath): Map<string, string> {
  const faults = new Map<string, string>();
  for (const flaw of flaws) {
    if (!isInServers(flaw, path)) continue;
    const name = String(flaw.path[path.length]);
    if (!faults.has(name) && faults.size <= maxServersPerFile) faults.set(name, flaw.text());
  }
  return faults;
}

/** Whether a flaw belongs to one definition, not to the whole file. */
export function isInServers(flaw: Flaw, path: KeyPath): boolean {
  return flaw.path.length > path.length && path.every((key, index) => flaw.path[index] === key);
}

/** The server that a definition stands for, or why it cannot be used. */
export function readDefinition(
  definition: ServerDefinition,
  lookUp: LookUp,
  warn: (warning: string) => void,
): ServerEntry | FailedServer {
  const { name, value, file, path, fault } = definition;
  const notes: string[] = [];
  const read =
    fault === undefined
      ? readEntry(value, { path, lookUp, warn: (what) => notes.push(`: ${what}`) })
      : { why: fault, isVariableUnset: false };
  if ('why' in read) notes.splice(0, Infinity, ` is left out: ${read.why}`);
  for (const note of notes) warn(`MCP server ${name} in ${file.path}${note}${note.endsWith('?') ? '' : '.'}`);
  if ('entry' in read) return read.entry;
  return {
    server: name,
    reason: `its definition in ${file.label} cannot be used: ${read.why.replace(/\?$/u, '')}`,
    fix: read.isVariableUnset
      ? 'Set that variable where Code Executor is started, or take the server out.'
      : 'Correct it there.',
  };
}

export function isFailed(read: ServerEntry | FailedServer): read is FailedServer {
  return 'reason' in read;
}
