import { pathToFileURL } from 'node:url';

/** The URL under which Deno knows the program; it tells a user nothing. */
const programUrl = /blob:null\/[0-9a-f-]{36}/g;

/** Replaces host paths in text that leaves the sandbox, and gives the program's URL a name. */
export function hidePaths(
  text: string,
  hiddenPaths: readonly (readonly [path: string, shown: string])[],
): string {
  let result = text.replace(programUrl, 'program.ts');
  for (const [path, shown] of hiddenPaths) {
    result = result.replaceAll(pathToFileURL(path).href, shown).replaceAll(path, shown);
  }
  return result;
}
