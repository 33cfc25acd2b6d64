import type { WrapperModule } from './wrapper-file.js';
import { isPathOf, type WrapperForm } from './wrapper-form.js';

/** Where the manifest is, in the directory of the wrappers. */
export const manifestFile = 'wrapper-manifest.json';

/** What is known of a file that was generated. */
export interface ManifestEntry {
  /** SHA-256 of its content in hex. */
  hash: string;
  module?: WrapperModule;
}

/** What may name a file of a language that is not written now. Such a file stays listed and is not touched. */
const plainPath = /^[a-z][a-z0-9]{0,30}\/[A-Za-z0-9_-]{1,90}\.[a-z0-9]{1,10}$/;

/** What code can call a server by. */
const identifierPattern = /^[\p{L}\p{Nd}_]{1,100}$/u;

/**
 * Each file that was generated, by path; `forms` are those of the languages that are written now. What is no path of
 * a generated file, points elsewhere, or is not understood is left out, because anybody may have edited the manifest.
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
