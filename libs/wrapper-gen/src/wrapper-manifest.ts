import { isWrapperPath } from './wrapper-file.js';

/** Where the manifest is, in the directory of the wrappers. */
export const manifestFile = 'wrapper-manifest.json';

/**
 * The hash of each file that was generated, by path. Whatever in it is no path of a generated file, points
 * elsewhere, or is not understood, is not there: anybody may have edited it.
 */
export function parseManifest(text: string | undefined): Map<string, string> {
  const files = new Map<string, string>();
  for (const [path, hash] of Object.entries(filesIn(text))) {
    if (isWrapperPath(path) && typeof hash === 'string') files.set(path, hash);
  }
  return files;
}

/** The manifest as it is written. */
export function manifestText(files: ReadonlyMap<string, string>): string {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({ version: 1, files: Object.fromEntries(sorted) }, undefined, 2)}\n`;
}

function filesIn(text: string | undefined): object {
  try {
    const manifest: unknown = JSON.parse(text ?? '');
    const files =
      typeof manifest === 'object' && manifest && 'files' in manifest ? manifest.files : undefined;
    return typeof files === 'object' && files ? files : {};
  } catch {
    return {};
  }
}
