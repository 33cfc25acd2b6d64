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
  /** Where the snapshot is stored. Undefined for a temporary folder, which `close` removes. */
  folder: string | undefined;
}

const script = new URL('../dist/bootstrap/make-snapshot.js', import.meta.url);
/** The database of time zones on Debian, Fedora, Arch and macOS. */
const zoneFolder = '/usr/share/zoneinfo';
/** Python starts in one to two seconds, but a busy machine may need much longer. */
const makeTimeoutMs = 120_000;
/** See make-snapshot.js. */
const maxPartBytes = 720 * 1024;
const maxParts = 60;
const maxBytes = maxParts * maxPartBytes;
/** How long after a failure the snapshot is tried again. */
const retryMs = 60_000;
const dayMs = 24 * 60 * 60 * 1000;
/** Snapshots of other versions are removed after this time without use, because each takes 30 MB. */
const keptUnusedMs = 30 * dayMs;
const noTools = {
  listTools: () => Promise.resolve({ tools: [], failedServers: [] }),
  callTool: () => Promise.resolve({ content: [] }),
};

/**
 * The memory of an interpreter that has started and imported the most common modules, but seen no program. To
 * restore it takes a tenth of the time of a start. It is created in a sandbox at the first use, once per version.
 */
export class MemorySnapshot {
  readonly #options: MemorySnapshotOptions;
  #file: Promise<string | undefined> | undefined;
  /** Shows whether the file is still the one whose hash was checked. */
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

  /** Why there is no snapshot, so that Python starts from scratch each time. Undefined if nothing went wrong. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The files that an interpreter starts from: the snapshot, or the sources of it if there is none. */
  async files(): Promise<OwnFiles> {
    const last = this.#file;
    if (last && (await last) !== undefined && stampOf(await last) !== this.#stamp && this.#file === last) {
      // The file was changed or removed after its hash was checked, so it is searched or created again.
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
          : `it cannot be stored (${systemCodeOf(error) ?? 'unknown reason'}).`;
        this.#problem = `Python starts slowly, without its memory snapshot: ${reason}`;
        // Retried later, because the problem may be temporary, but not for each program.
        setTimeout(() => (this.#file = undefined), retryMs).unref();
        return undefined;
      },
    );
    const file = await this.#file;
    return file === undefined || !existsSync(file) ? sources() : { pyodide: pyodideFolder(), snapshot: file };
  }

  /** Stops creating a snapshot, and removes the temporary folder. */
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
      // The time of last use, written once a day, because other servers see a change and check the file again.
      if (Date.now() - statSync(found).mtimeMs > dayMs) await utimes(found, new Date(), new Date());
      return found;
    }
    const bytes = await this.#make();
    const file = join(folder, `snapshot-${version}-${hashOf(bytes)}.bin`);
    await replaceFile(file, bytes);
    // Fails if another server removes the same files at this moment.
    await removeUnused(folder).catch(() => undefined);
    return file;
  }

  async #folder(): Promise<string> {
    const { folder } = this.#options;
    if (folder === undefined) {
      // If the folder was cleaned up, another user may have created one with its name.
      if (this.#ownFolder && !isPrivateFolder(await this.#ownFolder)) this.#ownFolder = undefined;
      return (this.#ownFolder ??= mkdtemp(join(tmpdir(), 'code-executor-python-')));
    }
    await makePrivateFolder(folder);
    return folder;
  }

  /** A hash that changes with each part of a snapshot: the interpreter, our modules and the zone database. */
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
      const reason = stderr.trim().split('\n').at(-1) ?? error?.message ?? 'it did not arrive completely';
      throw new CodeExecutorError('internal', `it could not be created: ${reason.slice(0, 500)}`);
    }
    return bytes;
  }

  #keep({ part }: JsonObject): Promise<null> {
    if (this.#parts.length >= maxParts) throw new CodeExecutorError('internal', 'it is too large.');
    this.#parts.push(Buffer.from(part as string, 'base64'));
    return Promise.resolve(null);
  }
}

/** The files that Python starts from without a snapshot. */
function sources(): OwnFiles {
  return { pyodide: pyodideFolder(), ...(existsSync(zoneFolder) && { zoneinfo: zoneFolder }) };
}

/** Removes snapshots that no server has used for a while. */
async function removeUnused(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith('snapshot-')) continue;
    const file = join(folder, name);
    const { mtimeMs } = await stat(file);
    if (Date.now() - mtimeMs > keptUnusedMs) await rm(file, { force: true });
  }
}

/** Finds a snapshot whose content matches the hash in its name, and removes those whose content does not. */
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

/** A text that changes with every change of the file; undefined if there is no file. */
function stampOf(file: string | undefined): string | undefined {
  const stats = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
