import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { CodeExecutorError, type JsonObject, noPermissions, systemCodeOf } from '@code-executor/contracts';
import { DenoRunner, type DenoRunnerOptions, type OwnFiles } from '@code-executor/deno-runtime';
import { isPrivateFolder, makePrivateFolder, readRegularFile, replaceFile } from '@code-executor/files';

import { pyodideFolder } from './pyodide-folder.js';

export interface MemorySnapshotOptions extends Pick<
  DenoRunnerOptions,
  'denoPath' | 'isolation' | 'limits' | 'maxOutputChars'
> {
  /** Where it is kept; undefined: a folder of its own, gone with `close`. */
  folder: string | undefined;
}

const script = new URL('../dist/bootstrap/make-snapshot.js', import.meta.url);
/** Where Debian, Fedora, Arch and macOS keep the database of time zones. */
const zoneFolder = '/usr/share/zoneinfo';
/** Python's own start takes a second or two; a busy machine gets time. */
const makeTimeoutMs = 120_000;
/** See make-snapshot.js. */
const maxPartBytes = 720 * 1024;
const maxParts = 60;
const maxBytes = maxParts * maxPartBytes;
/** After a failure, before it is tried again. */
const retryMs = 60_000;
const dayMs = 24 * 60 * 60 * 1000;
/** Thirty megabytes each, and another version makes one of its own. */
const keptUnusedMs = 30 * dayMs;
const noTools = {
  listTools: () => Promise.resolve({ tools: [], failedServers: [] }),
  callTool: () => Promise.resolve({ content: [] }),
};

/**
 * The memory of an interpreter that has started, imported what programs import most, and seen no program:
 * to restore it takes a tenth of the time. Made in a sandbox, at the first use, once per version.
 */
export class MemorySnapshot {
  readonly #options: MemorySnapshotOptions;
  #file: Promise<string | undefined> | undefined;
  /** Tells whether the file is still the one whose hash was checked. */
  #stamp: string | undefined;
  #ownFolder: Promise<string> | undefined;
  readonly #maker: DenoRunner;
  readonly #parts: Buffer[] = [];
  #problem: string | undefined;

  constructor(options: MemorySnapshotOptions) {
    this.#options = options;
    const { denoPath, isolation, limits, maxOutputChars } = options;
    this.#maker = new DenoRunner({
      ...{ denoPath, isolation, limits, maxOutputChars },
      language: 'python',
      script,
      spares: { count: 0 },
      ownFiles: () => Promise.resolve(sources()),
      messageFor: () => ({}),
      hostCalls: { table: new Map([['keepPart', { answer: (params) => this.#keep(params) }]]), globals: {} },
    });
  }

  /** Why there is none: Python then starts anew each time. Undefined while nothing went wrong. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** What an interpreter starts from: the snapshot, or where there is none, what it would have had in it. */
  async files(): Promise<OwnFiles> {
    const last = this.#file;
    if (last && (await last) !== undefined && stampOf(await last) !== this.#stamp && this.#file === last) {
      // Somebody has touched it since its hash was checked, or it is gone: it is found or made again.
      this.#file = undefined;
    }
    this.#file ??= this.#findOrMake().then(
      (file) => {
        this.#problem = undefined;
        this.#stamp = stampOf(file);
        return file;
      },
      (error: unknown) => {
        const reason = CodeExecutorError.is(error)
          ? error.message
          : `it cannot be kept (${systemCodeOf(error) ?? 'unknown reason'}).`;
        this.#problem = `Python starts slowly, without its memory snapshot: ${reason}`;
        // What was full or busy may not be for long; what never works is not tried each time.
        setTimeout(() => (this.#file = undefined), retryMs).unref();
        return undefined;
      },
    );
    const file = await this.#file;
    return file === undefined || !existsSync(file) ? sources() : { pyodide: pyodideFolder(), snapshot: file };
  }

  /** Ends the making of one. */
  async close(): Promise<void> {
    await this.#maker.close();
    await this.#file;
    const folder = await this.#ownFolder;
    if (folder !== undefined && isPrivateFolder(folder)) await rm(folder, { recursive: true, force: true });
  }

  async #findOrMake(): Promise<string> {
    const folder = await this.#folder();
    const version = await this.#version();
    const found = await findWhole(folder, version);
    if (found !== undefined) {
      // When it was last of use, to the day: another server sees the change, and looks at the file again.
      if (Date.now() - statSync(found).mtimeMs > dayMs) await utimes(found, new Date(), new Date());
      return found;
    }
    const bytes = await this.#make();
    const file = join(folder, `snapshot-${version}-${hashOf(bytes)}.bin`);
    await replaceFile(file, bytes);
    // Another server may do the same at this moment.
    await removeUnused(folder).catch(() => undefined);
    return file;
  }

  async #folder(): Promise<string> {
    const { folder } = this.#options;
    if (folder === undefined) {
      // Cleaned away, its name may be somebody else's by now.
      if (this.#ownFolder && !isPrivateFolder(await this.#ownFolder)) this.#ownFolder = undefined;
      return (this.#ownFolder ??= mkdtemp(join(tmpdir(), 'code-executor-python-')));
    }
    await makePrivateFolder(folder);
    return folder;
  }

  /** Changes with everything that goes into it: interpreter, our modules, zone database. */
  async #version(): Promise<string> {
    const hash = createHash('sha256');
    hash.update(await readFile(join(pyodideFolder(), 'package.json')));
    hash.update(await readFile(fileURLToPath(script)));
    if (existsSync(zoneFolder)) hash.update(String(statSync(zoneFolder).mtimeMs));
    return hash.digest('hex').slice(0, 16);
  }

  async #make(): Promise<Buffer> {
    this.#parts.length = 0;
    const { value, error, stderr } = await this.#maker.execute({
      code: '',
      timeoutMs: makeTimeoutMs,
      permissions: noPermissions,
      tools: noTools,
    });
    const bytes = Buffer.concat(this.#parts.splice(0));
    if (error || value !== bytes.length) {
      const reason = stderr.trim().split('\n').at(-1) ?? error?.message ?? 'it did not arrive as a whole';
      throw new CodeExecutorError('internal', `it could not be made: ${reason.slice(0, 500)}`);
    }
    return bytes;
  }

  #keep({ part }: JsonObject): Promise<null> {
    if (this.#parts.length >= maxParts) throw new CodeExecutorError('internal', 'it is too large.');
    this.#parts.push(Buffer.from(part as string, 'base64'));
    return Promise.resolve(null);
  }
}

/** What Python starts from without a snapshot. */
function sources(): OwnFiles {
  return { pyodide: pyodideFolder(), ...(existsSync(zoneFolder) && { zoneinfo: zoneFolder }) };
}

/** Snapshots of other versions that nobody has used for a while. */
async function removeUnused(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith('snapshot-')) continue;
    const file = join(folder, name);
    const { mtimeMs } = await stat(file);
    if (Date.now() - mtimeMs > keptUnusedMs) await rm(file, { force: true });
  }
}

/** A snapshot whose name says the hash of what is in it; others are of no use any more. */
async function findWhole(folder: string, version: string): Promise<string | undefined> {
  const prefix = `snapshot-${version}-`;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith('.bin')) continue;
    const file = join(folder, name);
    const found = await readRegularFile(file, { maxBytes, writableBy: 'owner' }).catch(() => undefined);
    if (found && name === `${prefix}${hashOf(found.bytes)}.bin`) return file;
    await rm(file, { recursive: true, force: true });
  }
  return undefined;
}

/** Changes with every change of a file; undefined where there is none. */
function stampOf(file: string | undefined): string | undefined {
  const stats = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
