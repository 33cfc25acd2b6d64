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

/** The first line of what a tool of the system printed, for callers: of its paths only the last names are left. */
export function firstLineOf(stderr: string): string {
  const line = stderr.trim().split('\n')[0] ?? '';
  return line.replaceAll(/\/(?:[^/:]*\/)*/g, '').slice(0, 200);
}
