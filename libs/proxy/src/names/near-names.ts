import type { ToolSchema } from '@code-executor/contracts';
import leven from 'leven';

import { ownName } from './tool-names.js';
import { maxNameChars } from '../policy/name-patterns.js';

/** Up to three tools that `name` may have been meant to name, the nearest first. */
export function nearNames(name: string, tools: readonly ToolSchema[]): string[] {
  const wanted = name.toLowerCase();
  // The tool's own name may be right and the server wrong or missing.
  const wantedOwn = wanted.slice(wanted.lastIndexOf('__') + 1).replace(/^_/, '');
  const near = tools
    .filter((tool) => tool.name.length <= maxNameChars)
    .map((tool) => ({
      name: tool.name,
      distance: Math.min(
        distanceOfNames(wanted, tool.name),
        distanceOf(wantedOwn, ownName(tool).toLowerCase()),
      ),
    }))
    .filter(({ distance }) => distance < Infinity)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  const best = near[0]?.distance ?? 0;
  return near
    .filter(({ distance }) => distance <= best + 1)
    .slice(0, 3)
    .map((each) => each.name);
}

/** The one of `names` that `name` may have been meant to be. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  let nearest: { name: string; distance: number } | undefined;
  for (const candidate of names) {
    const distance = distanceOfNames(wanted, candidate);
    if (distance < (nearest?.distance ?? Infinity)) nearest = { name: candidate, distance };
  }
  return nearest?.name;
}

/** The distance of full names. A common server does not make them near, because all its tools begin alike. */
function distanceOfNames(wanted: string, candidate: string): number {
  const known = candidate.toLowerCase();
  const prefix = wanted.slice(0, wanted.lastIndexOf('__') + 2);
  const common = known.startsWith(prefix) ? prefix.length : 0;
  return distanceOf(wanted.slice(common), known.slice(common), common > 0 ? 2 : 3);
}

/** The number of edits between the two; Infinity if more than one letter in `perEdit` differs. */
function distanceOf(wanted: string, candidate: string, perEdit = 3): number {
  const most = Math.floor(Math.max(wanted.length, candidate.length) / perEdit);
  // One more than allowed, because everything beyond `maxDistance` is answered with `maxDistance`.
  const distance = leven(wanted, candidate, { maxDistance: Math.max(2, most) + 1 });
  if (distance === 2 && most > 0 && isSwapped(wanted, candidate)) return 1;
  return distance <= most ? distance : Infinity;
}

/** Whether the words differ by two neighbouring letters that changed places. */
function isSwapped(a: string, b: string): boolean {
  const at = Array.from(a).findIndex((letter, index) => letter !== b[index]);
  return a.length === b.length && `${b.charAt(at + 1)}${b.charAt(at)}` === a.slice(at, at + 2);
}
