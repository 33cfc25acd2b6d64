import assert from 'node:assert/strict';

import type { StdioArena } from '../arena/stdio-arena.js';

/** A program that reads each file and returns the outcomes. */
const readEach = (paths: readonly string[]) =>
  `return Promise.all(${JSON.stringify(paths)}.map((path) => Deno.readTextFile(path).catch(({ name }) => name)));`;

/** Runs a program that reads files with a grant; checks that it got no secret, and resolves with the outcomes. */
export async function neverReads(
  { run, places }: Pick<StdioArena, 'run' | 'places'>,
  paths: readonly string[],
  permissions: { read?: string[]; write?: string[] },
): Promise<string[]> {
  const { result = [], stderr = '' } = await run(readEach(paths), { permissions });
  assert.ok(!JSON.stringify(result).includes(places.canary), `${JSON.stringify(result)} ${stderr}`);
  return result as string[];
}
