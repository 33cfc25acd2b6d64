import { lstat, mkdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { CodeExecutorError, systemCodeOf } from '@code-executor/contracts';
import { readRegularFile, replaceFile } from '@code-executor/files';

import { keepModules } from './keep-modules.js';
import { hashOf, type WrapperFile, type WrapperModule } from './wrapper-file.js';
import { isPathOf } from './wrapper-form.js';
import { type ManifestEntry, manifestFile, manifestText, parseManifest } from './wrapper-manifest.js';

export interface WriteOptions {
  /** Whether files of other servers stay, and the index exports them, too. Default: false. */
  keepsOthers?: boolean;
}

/** The paths that {@link writeWrappers} has changed or kept. */
export interface WrapperChanges {
  /** New, or with new content. */
  written: string[];
  /** Already up to date; not touched. */
  unchanged: string[];
  /** Files of servers that no longer exist. */
  deleted: string[];
  /** Files of servers that no longer exist, kept because they were edited. */
  kept: string[];
}

const maxFileBytes = 16 * 1024 * 1024;

/**
 * Writes the files below the directory, which is created if necessary, and `wrapper-manifest.json` next to them. Only
 * files that differ are written, each atomically. Files of servers that no longer exist are deleted if the manifest
 * names them and they were not edited, in the languages of `files`.
 *
 * Links below the directory are never followed: one in place of a file is replaced, one in place of a folder is refused.
 * Rejects with `invalid_argument` for a path that {@link generateWrappers} does not create, and with
 * `failed_precondition` if the system does not allow it to write, or if a file that stays has the name of a new one.
 */
export async function writeWrappers(
  directory: string,
  files: readonly WrapperFile[],
  { keepsOthers = false }: WriteOptions = {},
): Promise<WrapperChanges> {
  const foreign = files.find(({ path, form }) => !isPathOf(form, path));
  if (foreign) {
    throw new CodeExecutorError(
      'invalid_argument',
      `${foreign.path} is not the path of a generated wrapper.`,
    );
  }
  const changes: WrapperChanges = { written: [], unchanged: [], deleted: [], kept: [] };
  const forms = new Map(files.map(({ form }) => [form.folder, form]));
  await namingFile('The directory of the wrappers', () => mkdir(directory, { recursive: true }));
  for (const folder of forms.keys()) await namingFile(folder, () => ownFolder(directory, folder));
  const text = (await readOwn(directory, manifestFile))?.toString();
  const before = parseManifest(text, [...forms.values()]);
  const after = new Map([...before].filter(([path]) => !forms.has(dirname(path))));
  const others = keepsOthers ? othersOf(before, files) : [];
  for (const [path, entry] of others) after.set(path, entry);
  const indexed = [];
  for (const [path, { module }] of others) {
    const form = forms.get(dirname(path));
    if (module && form && (await readOwn(directory, path))) indexed.push({ path, form, module });
  }
  for (const { path, content, hash, module } of keepModules(files, indexed)) {
    const isThere = await namingFile(path, () => hasHash(directory, path, hash));
    if (!isThere) await namingFile(path, () => replace(directory, path, content));
    (isThere ? changes.unchanged : changes.written).push(path);
    after.set(path, { hash, ...(module && { module }) });
  }
  for (const [path, { hash }] of before) {
    if (after.has(path)) continue;
    const outcome = await namingFile(path, () => deleteOwn(directory, path, hash));
    if (outcome) changes[outcome].push(path);
  }
  const manifest = manifestText(after);
  if (manifest !== text) await namingFile(manifestFile, () => replace(directory, manifestFile, manifest));
  return changes;
}

/** Files of servers without new files, including files whose server is not known. */
function othersOf(
  before: ReadonlyMap<string, ManifestEntry>,
  files: readonly WrapperFile[],
): [string, ManifestEntry][] {
  const keyOf = (path: string, { server }: WrapperModule) => `${dirname(path)} ${server}`;
  const paths = new Set(files.map(({ path }) => path));
  const own = new Set(files.flatMap(({ path, module }) => (module ? [keyOf(path, module)] : [])));
  return [...before].filter(([path, { module }]) =>
    module ? !own.has(keyOf(path, module)) : !paths.has(path),
  );
}

/** Creates a folder if necessary; refuses a link in its place. */
async function ownFolder(directory: string, folder: string): Promise<void> {
  const path = join(directory, folder);
  await mkdir(path, { recursive: true });
  if ((await lstat(path)).isDirectory()) return;
  throw new CodeExecutorError(
    'failed_precondition',
    `Wrappers are not written to ${folder}, because it is a link to another place; remove it.`,
  );
}

/** The content of a regular file; undefined if there is none, or something else in its place. */
async function readOwn(directory: string, path: string): Promise<Buffer | undefined> {
  const file = await readRegularFile(join(directory, path), { maxBytes: maxFileBytes }).catch(
    () => undefined,
  );
  return file?.bytes;
}

async function hasHash(directory: string, path: string, hash: string): Promise<boolean> {
  const content = await readOwn(directory, path);
  return content !== undefined && hashOf(content) === hash;
}

/** Replaces a file. It contains no secrets, so programs of other users may import it. */
function replace(directory: string, path: string, content: string): Promise<void> {
  return replaceFile(join(directory, path), content, { mode: 0o644 });
}

async function deleteOwn(
  directory: string,
  path: string,
  hash: string,
): Promise<'deleted' | 'kept' | undefined> {
  const content = await readOwn(directory, path);
  if (content === undefined) return undefined;
  if (hashOf(content) !== hash) return 'kept';
  await unlink(join(directory, path));
  return 'deleted';
}

/** Runs a file operation, and names the file if it fails. */
async function namingFile<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (CodeExecutorError.is(error)) throw error;
    const code = systemCodeOf(error) ?? 'unknown reason';
    throw new CodeExecutorError(
      'failed_precondition',
      `${what} could not be written (${code}); check its permissions and the free disk space, or name another directory.`,
      { cause: error },
    );
  }
}
