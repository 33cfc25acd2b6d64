import { isWrapperPath, type WrapperModule } from './wrapper-file.js';

/** Where the manifest is, in the directory of the wrappers. */
export const manifestFile = 'wrapper-manifest.json';

/** What is known of a file that was generated. */
export interface ManifestEntry {
  /** SHA-256 of its content in hex. */
  hash: string;
  module?: WrapperModule;
}

/** What code can call a server by. */
const identifierPattern = /^[\p{L}\p{Nd}_]{1,100}$/u;

/**
 * Each file that was generated, by path. Whatever in it is no path of a generated file, points elsewhere, or is
 * not understood, is not there: anybody may have edited it.
 */
export function parseManifest(text: string | undefined): Map<string, ManifestEntry> {
  const entries = new Map<string, ManifestEntry>();
  const manifest = objectIn(text);
  const modules = new Map(Object.entries(objectOf(manifest, 'modules')));
  for (const [path, hash] of Object.entries(objectOf(manifest, 'files'))) {
    if (!isWrapperPath(path) || typeof hash !== 'string') continue;
    const module: unknown = modules.get(path);
    entries.set(path, { hash, ...(isModule(module) && { module }) });
  }
  return entries;
}

/** The manifest as it is written. */
export function manifestText(entries: ReadonlyMap<string, ManifestEntry>): string {
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  const files = Object.fromEntries(sorted.map(([path, { hash }]) => [path, hash]));
  const modules = Object.fromEntries(
    sorted.flatMap(([path, { module }]) => (module ? [[path, module]] : [])),
  );
  return `${JSON.stringify({ version: 1, files, modules }, undefined, 2)}\n`;
}

/** Its identifier becomes code. */
function isModule(value: unknown): value is WrapperModule {
  if (typeof value !== 'object' || !value || !('server' in value) || !('identifier' in value)) return false;
  const { server, identifier } = value;
  return typeof server === 'string' && typeof identifier === 'string' && identifierPattern.test(identifier);
}

function objectIn(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown, key: 'files' | 'modules'): object {
  if (typeof value !== 'object' || !value || !(key in value)) return {};
  const found: unknown = (value as Record<typeof key, unknown>)[key];
  return typeof found === 'object' && found ? found : {};
}
