import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { CodeExecutorError } from '@code-executor/contracts';

import { keepModules } from './keep-modules.js';
import { hashOf, isWrapperPath, type WrapperFile, type WrapperModule } from './wrapper-file.js';
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
/** Not there on Windows, where making a link takes special rights. */
const noFollow = (constants as Partial<typeof constants>).O_NOFOLLOW ?? 0;

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
  const foreign = files.find(({ path }) => !isWrapperPath(path));
  if (foreign) {
    throw new CodeExecutorError('invalid_argument', `${foreign.path} is no path of a generated wrapper.`);
  }
  const changes: WrapperChanges = { written: [], unchanged: [], deleted: [], kept: [] };
  const folders = new Set(files.map(({ path }) => dirname(path)));
  await told('The directory of the wrappers', () => mkdir(directory, { recursive: true }));
  for (const folder of folders) await told(folder, () => ownFolder(directory, folder));
  const text = (await readOwn(directory, manifestFile))?.toString();
  const before = parseManifest(text);
  const after = new Map([...before].filter(([path]) => !folders.has(dirname(path))));
  const others = keepsOthers ? othersOf(before, files) : [];
  for (const [path, entry] of others) after.set(path, entry);
  const indexed = [];
  for (const [path, { module }] of others) {
    const isThere = module && folders.has(dirname(path)) && (await readOwn(directory, path));
    if (isThere) indexed.push({ path, module });
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
  const full = join(directory, path);
  const stats = await lstat(full).catch(() => undefined);
  if (!stats?.isFile() || stats.size > maxFileBytes) return undefined;
  const file = await open(full, constants.O_RDONLY | noFollow).catch(() => undefined);
  if (!file) return undefined;
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function hasHash(directory: string, path: string, hash: string): Promise<boolean> {
  const content = await readOwn(directory, path);
  return content !== undefined && hashOf(content) === hash;
}

/** The new file takes the name in one step, whatever has had it. */
async function replace(directory: string, path: string, content: string): Promise<void> {
  const full = join(directory, path);
  const temporary = join(dirname(full), `.${randomUUID()}.tmp`);
  try {
    // `wx` makes the file and follows nothing.
    const file = await open(temporary, 'wx', 0o644);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, full);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
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
    // Not `instanceof Error`: it may come from another realm.
    const hasCode = typeof error === 'object' && error !== null && 'code' in error;
    const code = hasCode ? String(error.code) : 'unknown error';
    throw new CodeExecutorError(
      'failed_precondition',
      `${what} could not be written (${code}); look at its rights and the room on the disk, or name another directory.`,
      { cause: error },
    );
  }
}
