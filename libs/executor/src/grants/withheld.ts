import { lstatSync, type Stats } from 'node:fs';
import { dirname, relative } from 'node:path';

import { namesBehind } from './names-behind.js';

/** How a grant overlaps with the files that are withheld from programs. */
export interface Withheld {
  /** The path itself is withheld, or lies in a folder that is. */
  isInside: boolean;
  /** The withheld paths inside it, relative to it; they may not exist yet. */
  holds: { path: string; kind: 'file' | 'folder' | 'link' | 'absent' }[];
}

/**
 * Compares by device and inode, so that another name of the same folder makes no difference.
 *
 * @param place - The path, without links.
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
  // A link decides where a path leads: a program that may replace the link may replace its target.
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

/** The kind of file at a path. */
export function kindAt(name: string): Withheld['holds'][number]['kind'] {
  return kindOf(statsOf(name));
}

/** The folders around a path: `/a` and `/` for `/a/b`. */
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
