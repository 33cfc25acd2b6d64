import type { ToolSchema } from '@code-executor/contracts';
import leven from 'leven';

import { ownName } from './catalogue.js';
import { maxNameChars } from './name-patterns.js';

/** The tools, three at most, that somebody who wrote `name` may have meant; the nearest first. */
export function nearNames(name: string, tools: readonly ToolSchema[]): string[] {
  const wanted = name.toLowerCase();
  // The tool's own name may be right and the server wrong or missing.
  const wantedOwn = wanted.slice(wanted.lastIndexOf('__') + 1).replace(/^_/, '');
  return tools
    .filter((tool) => tool.name.length <= maxNameChars)
    .map((tool) => ({
      name: tool.name,
      distance: Math.min(
        distanceOf(wanted, tool.name.toLowerCase()),
        distanceOf(wantedOwn, ownName(tool).toLowerCase()),
      ),
    }))
    .filter(({ distance }) => distance < Infinity)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map((near) => near.name);
}

/** The one of `names` that somebody who wrote `name` may have meant. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  const prefix = wanted.slice(0, wanted.lastIndexOf('__') + 2);
  let nearest: { name: string; distance: number } | undefined;
  for (const candidate of names) {
    const known = candidate.toLowerCase();
    // Tools of one server begin alike, and that makes none of them near.
    const common = known.startsWith(prefix) ? prefix.length : 0;
    const distance = distanceOf(wanted.slice(common), known.slice(common), common > 0 ? 2 : 3);
    if (distance < (nearest?.distance ?? Infinity)) nearest = { name: candidate, distance };
  }
  return nearest?.name;
}

/** Edits between the two, Infinity where more than one letter in `perEdit` differs. */
function distanceOf(wanted: string, candidate: string, perEdit = 3): number {
  const most = Math.floor(Math.max(wanted.length, candidate.length) / perEdit);
  // One more than allowed, for `maxDistance` is also the answer for everything beyond it.
  const distance = leven(wanted, candidate, { maxDistance: most + 1 });
  return distance <= most ? distance : Infinity;
}
