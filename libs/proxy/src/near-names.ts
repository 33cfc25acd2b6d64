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

/** Edits between the two, Infinity where more than a third of the letters differ. */
function distanceOf(wanted: string, candidate: string): number {
  const most = Math.floor(Math.max(wanted.length, candidate.length) / 3);
  // One more than allowed, for `maxDistance` is also the answer for everything beyond it.
  const distance = leven(wanted, candidate, { maxDistance: most + 1 });
  return distance <= most ? distance : Infinity;
}
