import type { WrapperModule } from './wrapper-file.js';
import { isPathOf, type WrapperForm } from './wrapper-form.js';

/** The name of the manifest in the directory of the wrappers. */
export const manifestFile = 'wrapper-manifest.json';

/** The manifest's entry for a generated file. */
export interface ManifestEntry {
  /** SHA-256 of its content in hex. */
  hash: string;
  module?: WrapperModule;
}

/** The paths that files of other languages may have. Such files stay listed and are not touched. */
const plainPath = /^[a-z][a-z0-9]{0,30}\/[A-Za-z0-9_-]{1,90}\.[a-z0-9]{1,10}$/;

/** The names that a server can have in code. */
const identifierPattern = /^[\p{L}\p{Nd}_]{1,100}$/u;

/**
 * The generated files by path; `forms` are those of the languages that are written now. Entries that are invalid, or
 * whose path is not that of a generated file, are left out, because anyone may have edited the manifest.
 */
export function parseManifest(
  text: string | undefined,
  forms: readonly WrapperForm[],
): Map<string, ManifestEntry> {
  const isOwn = (path: string) => {
    const form = forms.find(({ folder }) => path.startsWith(`${folder}/`));
    return form ? isPathOf(form, path) : plainPath.test(path);
  };
  const entries = new Map<string, ManifestEntry>();
  const manifest = objectIn(text);
  const modules = new Map(Object.entries(objectOf(manifest, 'modules')));
  for (const [path, hash] of Object.entries(objectOf(manifest, 'files'))) {
    if (!isOwn(path) || typeof hash !== 'string') continue;
    const module: unknown = modules.get(path);
    entries.set(path, { hash, ...(isModule(module) && { module }) });
  }
  return entries;
}

/** The text of the manifest. */
export function manifestText(entries: ReadonlyMap<string, ManifestEntry>): string {
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  const files = Object.fromEntries(sorted.map(([path, { hash }]) => [path, hash]));
  const modules = Object.fromEntries(
    sorted.flatMap(([path, { module }]) => (module ? [[path, module]] : [])),
  );
  return `${JSON.stringify({ version: 1, files, modules }, undefined, 2)}\n`;
}

/** Checked strictly, because the identifier becomes code. */
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
