import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';

import { type GrantedPath, systemCodeOf } from '@code-executor/contracts';

import { kernelMountsAt, outermost } from './kernel-mounts.js';
import { isInside, namesBehind, stepsOf } from './names-behind.js';
import { LinkOnTheWay, openBeneath, pathOnly, placeOf } from './open-path.js';
import { kindAt, type Withheld, withheldAt } from './withheld.js';

export type PathKind = 'read' | 'write';

/** A granted path that has to be closed once the execution is over. */
export interface OpenGrant extends GrantedPath {
  readonly handle: FileHandle;
}

/** Why a path was not granted, as the end of a sentence, with advice. */
export class Refusal {
  constructor(
    readonly reason: string,
    readonly advice?: string,
  ) {}
}

export interface PathCeilingOptions {
  allowRead: readonly string[];
  /** These may be read, too. */
  allowWrite: readonly string[];
  /** Never granted, whether they exist or not. */
  withheld: readonly string[];
  /** Called with each path that cannot be granted at all. */
  warn: (problem: string) => void;
}

/** A file or folder of the configuration, which is held open, and its names at that time, with links and without. */
interface Root {
  descriptor: number;
  names: readonly string[];
}

const settings = { read: 'security.allowRead', write: 'security.allowWrite' };

/** The files and folders that executions may be granted: opened once and kept, even if their names change. */
export class PathCeiling {
  #roots: Readonly<Record<PathKind, readonly Root[]>>;
  readonly #withheld: readonly string[];

  constructor({ allowRead, allowWrite, withheld, warn }: PathCeilingOptions) {
    this.#withheld = withheld;
    // Programs may write anything there.
    const writable = allowWrite.flatMap((path) => namesBehind(path).slice(-1));
    const hold = (kind: PathKind, paths: readonly string[]) =>
      paths.flatMap((path) => {
        const root = holdRoot(path, writable);
        if (typeof root !== 'string') return [root];
        warn(
          `${settings[kind]} ${JSON.stringify(path)} ${root}; it is not granted until the server is restarted.`,
        );
        return [];
      });
    const write = hold('write', allowWrite);
    this.#roots = { write, read: [...hold('read', allowRead), ...write] };
  }

  /** Opens a path that a caller asked for, if it may be granted. */
  async open(kind: PathKind, path: string): Promise<OpenGrant | Refusal> {
    if (process.platform !== 'linux') return new Refusal('is a file, which can be granted on Linux only,');
    const named = resolve(path);
    const found = innermost(this.#roots[kind], named);
    // A caller must not learn what exists outside.
    if (!found) return new Refusal(`is outside ${settings[kind]}`);
    try {
      return await this.#openBeneath(found, kind, named);
    } catch (reason) {
      return refusalOf(reason, found.root);
    }
  }

  close(): void {
    // Only once, because the descriptors will be used again for other files.
    for (const { descriptor } of this.#roots.read) closeSync(descriptor);
    this.#roots = { read: [], write: [] };
  }

  async #openBeneath({ root, name }: Found, kind: PathKind, path: string): Promise<OpenGrant | Refusal> {
    const handle = await openBeneath(root.descriptor, stepsOf(relative(name, path)));
    const granted = await this.#judge(kind, path, handle).catch((reason: unknown) => refusalOf(reason, root));
    if (granted instanceof Refusal) await handle.close();
    return granted;
  }

  async #judge(kind: PathKind, path: string, handle: FileHandle): Promise<OpenGrant | Refusal> {
    const stats = await handle.stat();
    if (stats.nlink === 0) throw new Gone();
    if (!stats.isFile() && !stats.isDirectory()) return new Refusal('is neither a file nor a folder');
    const place = placeOf(handle.fd);
    const { isInside: isWithheld, holds } = withheldAt(place, this.#withheld);
    if (isWithheld) return new Refusal('belongs to this server itself');
    const mounts = kernelMountsAt(place).map((mount) => ({
      path: relative(place, mount),
      kind: kindAt(mount),
    }));
    if (mounts.some((mount) => isInside(place, join(place, mount.path)))) {
      return new Refusal('is part of the kernel', 'name a folder of your own data');
    }
    const held = [...holds, ...mounts];
    if (kind === 'write' && held.length > 0) {
      const what = holds.length > 0 ? 'what this server is made of' : 'file systems of the kernel';
      const names = held.slice(0, 3).map((each) => each.path);
      return new Refusal(`holds ${what} (${names.join(', ')})`, 'name a folder inside it');
    }
    return { path, handle, hidden: hiddenIn(path, held) };
  }
}

/** The hidden paths that exist and are not inside another one. The target of a link is withheld by its own name. */
function hiddenIn(folder: string, held: Withheld['holds']): GrantedPath['hidden'] {
  const there = held.filter(({ kind }) => kind === 'file' || kind === 'folder');
  const isFolder = new Map(there.map(({ path, kind }) => [join(folder, path), kind === 'folder']));
  return outermost([...isFolder.keys()]).map((path) => ({ path, isFolder: isFolder.get(path) === true }));
}

/** The root around a path, with the name that both share. */
interface Found {
  root: Root;
  name: string;
}

/** The file or folder was removed, and only its descriptor is left. */
class Gone extends Error {}

function innermost(roots: readonly Root[], path: string): Found | undefined {
  const around = roots.flatMap((root) => root.names.map((name) => ({ root, name })));
  return around
    .filter(({ name }) => isInside(path, name))
    .reduce<Found | undefined>(
      (best, each) => (best && best.name.length >= each.name.length ? best : each),
      undefined,
    );
}

/** Opens a root, or returns why it cannot be used. */
function holdRoot(path: string, writable: readonly string[]): Root | string {
  if (process.platform !== 'linux') return 'is a file, and files can be granted on Linux only';
  const links = namesBehind(path).slice(0, -1);
  if (links.some((link) => writable.some((folder) => isInside(dirname(link), folder)))) {
    return 'leads through a link in a folder that programs may write to, so name what it leads to';
  }
  try {
    const descriptor = openSync(path, pathOnly);
    return { descriptor, names: [resolve(path), placeOf(descriptor)] };
  } catch (reason) {
    const code = systemCodeOf(reason);
    return code === 'ENOENT' ? 'does not exist' : `cannot be opened (${code ?? String(reason)})`;
  }
}

function refusalOf(reason: unknown, { descriptor, names }: Root): Refusal {
  if (reason instanceof LinkOnTheWay) {
    return new Refusal('leads through a link', 'name the file or folder itself');
  }
  const code = systemCodeOf(reason) ?? String(reason);
  if (!(reason instanceof Gone) && code !== 'ENOENT' && code !== 'ENOTDIR')
    return new Refusal(`cannot be opened by the server (${code})`);
  const [now, then] = [statSync(names[0] ?? '', { throwIfNoEntry: false }), fstatSync(descriptor)];
  if (now?.ino === then.ino && now.dev === then.dev) return new Refusal('does not exist');
  return new Refusal('is not there any more since the configuration was read', 'restart the server');
}
