import { pathToFileURL } from 'node:url';

/** Replaces host paths in text that leaves the sandbox. */
export function hidePaths(
  text: string,
  hiddenPaths: readonly (readonly [path: string, shown: string])[],
): string {
  if (text === '') return text;
  let result = text;
  for (const [path, shown] of hiddenPaths) {
    result = result.replaceAll(pathToFileURL(path).href, shown).replaceAll(path, shown);
  }
  return result;
}
