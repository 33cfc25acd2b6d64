import { lstat, mkdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { CodeExecutorError, systemCodeOf } from '@code-executor/contracts';
import { readRegularFile, replaceFile } from '@code-executor/files';

import { keepModules } from './keep-modules.js';
import { hashOf, type WrapperFile, type WrapperModule } from './wrapper-file.js';
import { isPathOf } from './wrapper-form.js';
import { type ManifestEntry, manifestFile, manifestText, parseManifest } from './wrapper-manifest.js';

export interface WriteOptions {
  /** Files of servers that are not among these stay, and the index exports them. Default false. */
  keepsOthers?: boolean;
}

/** What {@link writeWrappers} did, by path. */
export interface WrapperChanges {
  /** New or with other content than before. */
  written: string[];
  /** As they were already; not touched. */
  unchanged: string[];
  /** Of servers that are gone. */
  deleted: string[];
  /** Of servers that are gone, but changed by somebody: they are left to their owner. */
  kept: string[];
}

const maxFileBytes = 16 * 1024 * 1024;

/**
 * Writes the files below the directory, which is made if need be, and `wrapper-manifest.json` beside them. Only
 * what differs is written, each file at once or not at all. Files of servers that are gone are deleted if the
 * manifest names them and nobody has changed them, in the languages that `files` are of.
 *
 * Links below the directory are never followed: one in the place of a file is replaced, one in the place of a
 * folder is refused. Rejects with `invalid_argument` for a path that {@link generateWrappers} does not make, and
 * with `failed_precondition` where the system does not let it write, or where a file that stays has the name of
 * a new one.
 */
export async function writeWrappers(
  directory: string,
  files: readonly WrapperFile[],
  { keepsOthers = false }: WriteOptions = {},
): Promise<WrapperChanges> {
  const foreign = files.find(({ path, form }) => !isPathOf(form, path));
  if (foreign) {
    throw new CodeExecutorError('invalid_argument', `${foreign.path} is no path of a generated wrapper.`);
  }
  const changes: WrapperChanges = { written: [], unchanged: [], deleted: [], kept: [] };
  const forms = new Map(files.map(({ form }) => [form.folder, form]));
  await told('The directory of the wrappers', () => mkdir(directory, { recursive: true }));
  for (const folder of forms.keys()) await told(folder, () => ownFolder(directory, folder));
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
    const isThere = await told(path, () => hasHash(directory, path, hash));
    if (!isThere) await told(path, () => replace(directory, path, content));
    (isThere ? changes.unchanged : changes.written).push(path);
    after.set(path, { hash, ...(module && { module }) });
  }
  for (const [path, { hash }] of before) {
    if (after.has(path)) continue;
    const outcome = await told(path, () => deleteOwn(directory, path, hash));
    if (outcome) changes[outcome].push(path);
  }
  const manifest = manifestText(after);
  if (manifest !== text) await told(manifestFile, () => replace(directory, manifestFile, manifest));
  return changes;
}

/** Files of servers that the new files are not of; also where nobody knows what they are of. */
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

/** A folder that is one, and no link to another. */
async function ownFolder(directory: string, folder: string): Promise<void> {
  const path = join(directory, folder);
  await mkdir(path, { recursive: true });
  if ((await lstat(path)).isDirectory()) return;
  throw new CodeExecutorError(
    'failed_precondition',
    `Wrappers are not written into ${folder}, which is a link to another place; remove it.`,
  );
}

/** The content of a regular file; nothing if there is none, or something else in its place. */
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

/** No secret is in it: programs of other users may import it. */
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

/** Does it, and says of which file a failure of the system is. */
async function told<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (CodeExecutorError.is(error)) throw error;
    const code = systemCodeOf(error) ?? 'unknown reason';
    throw new CodeExecutorError(
      'failed_precondition',
      `${what} could not be written (${code}); look at its rights and the room on the disk, or name another directory.`,
      { cause: error },
    );
  }
}
