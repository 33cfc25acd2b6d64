import { readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** The number of links that the kernel follows. */
const maxLinks = 40;

/**
 * Every name that decides where a path leads: that of each link on the way and, last, that of the target, which need
 * not exist. The folders in these names are not links.
 */
export function namesBehind(path: string): string[] {
  const links: string[] = [];
  let end = '/';
  const steps = stepsOf(resolve(path));
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    if (step === '.') continue;
    const name = step === '..' ? dirname(end) : join(end, step);
    const target = links.length < maxLinks ? linkTarget(name) : undefined;
    if (target === undefined) {
      end = name;
      continue;
    }
    links.push(name);
    steps.unshift(...stepsOf(target));
    if (isAbsolute(target)) end = '/';
  }
  return [...links, end];
}

/** By path components: `/data-old` is not inside `/data`. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

export function stepsOf(path: string): string[] {
  return path.split(sep).filter(Boolean);
}

function linkTarget(name: string): string | undefined {
  try {
    return readlinkSync(name);
  } catch {
    return undefined;
  }
}
