import { lstatSync, type Stats } from 'node:fs';
import { dirname, relative } from 'node:path';

import { namesBehind } from './names-behind.js';

/** What a grant has to do with what is withheld from programs. */
export interface Withheld {
  /** The thing is withheld itself, or lies in what is. */
  isInside: boolean;
  /** What is withheld and lies in the thing, by relative paths: there, or at a place where it is looked for. */
  holds: { path: string; kind: 'file' | 'folder' | 'link' | 'absent' }[];
}

/**
 * Compares by device and inode, so that another name of the same folder changes nothing.
 *
 * @param place - Where the thing is, without links.
 */
export function withheldAt(place: string, paths: readonly string[]): Withheld {
  const identities = new Map<string, string>();
  const identityOf = (name: string) => {
    let identity = identities.get(name);
    if (identity === undefined) identities.set(name, (identity = identify(statsOf(name)) ?? name));
    return identity;
  };
  const thing = identityOf(place);
  const around = new Set(foldersAround(place).map(identityOf));
  const holds = new Map<string, Withheld['holds'][number]>();
  let isInside = false;
  // A link decides where a path leads: whoever may replace it may replace what is behind it.
  for (const name of new Set(paths.flatMap(namesBehind))) {
    const stats = statsOf(name);
    const own = identify(stats) ?? name;
    if (own === thing || around.has(own)) isInside = true;
    const folder = foldersAround(name).find((each) => identityOf(each) === thing);
    if (folder !== undefined) {
      const path = relative(folder, name);
      holds.set(path, { path, kind: kindOf(stats) });
    }
  }
  return { isInside, holds: [...holds.values()] };
}

/** What there is at a name. */
export function kindAt(name: string): Withheld['holds'][number]['kind'] {
  return kindOf(statsOf(name));
}

/** `/a` and `/` of `/a/b`. */
function foldersAround(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAround(folder)];
}

function statsOf(name: string): Stats | undefined {
  try {
    return lstatSync(name);
  } catch {
    return undefined;
  }
}

function identify(stats: Stats | undefined): string | undefined {
  return stats && `${stats.dev}:${stats.ino}`;
}

function kindOf(stats: Stats | undefined): Withheld['holds'][number]['kind'] {
  if (!stats) return 'absent';
  if (stats.isSymbolicLink()) return 'link';
  return stats.isDirectory() ? 'folder' : 'file';
}
