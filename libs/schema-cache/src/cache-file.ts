import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { JsonMeter, maxJsonDepth } from '@code-executor/contracts';

import { type Entry, isEntry, toJson } from './entry.js';

const format = 1;
const maxBytes = 32 * 1024 * 1024;
const maxKeyChars = 1000;
/** An entry stands in a list in an object. */
const levelsAbove = 2;
/** No write takes that long: whoever began it was killed. */
const abandonedAfterMs = 60_000;
/** As a `JsonMeter` tells it: four times what one server's list of tools may cost. */
const maxCost = 128 * 1024 * 1024;

/**
 * The entries of the file in its order, none if there is no file. Rejects with the reason when there is
 * something else than a cache file of this user. Never follows a link, never waits for a pipe.
 */
export async function readCacheFile(file: string): Promise<Map<string, Entry>> {
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
  try {
    return parse(await readBounded(handle));
  } finally {
    await handle.close();
  }
}

async function readBounded(handle: FileHandle): Promise<Buffer> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw new TypeError('it is no regular file');
  const uid = process.getuid?.();
  if (uid !== undefined && (stats.uid !== uid || (stats.mode & 0o022) !== 0)) {
    throw new TypeError('others than its owner can write it');
  }
  if (stats.size > maxBytes) throw new RangeError(`it is larger than ${maxBytes / 1024 / 1024} MB`);
  const bytes = Buffer.alloc(stats.size);
  const { bytesRead } = await handle.read(bytes, 0, stats.size, 0);
  return bytes.subarray(0, bytesRead);
}

function parse(bytes: Buffer): Map<string, Entry> {
  const meter = new JsonMeter();
  meter.add(bytes);
  if (meter.cost > maxCost || meter.depth > maxJsonDepth) throw new RangeError('it holds too much');
  const data = JSON.parse(bytes.toString('utf8')) as { version?: unknown; entries?: unknown } | null;
  if (data?.version !== format || !Array.isArray(data.entries)) throw new TypeError('it has another shape');
  const entries = new Map<string, Entry>();
  for (const each of data.entries as unknown[]) {
    if (!isEntry(each)) continue;
    const { key, value, storedAt, expiresAt } = each as Entry & { key?: unknown };
    if (typeof key === 'string' && key.length <= maxKeyChars)
      entries.set(key, { value, storedAt, expiresAt });
  }
  return entries;
}

/**
 * Replaces the file in one step, a link there included, readable by its owner only. Entries beyond the
 * size that is read again are left out, the first ones before the last. Rejects when the disk does not take it.
 */
export async function writeCacheFile(file: string, entries: ReadonlyMap<string, Entry>): Promise<void> {
  const lines: string[] = [];
  let bytes = 1000;
  let cost = 1000;
  for (const [key, entry] of [...entries].reverse()) {
    const line = toJson({ key, ...entry });
    if (line === undefined || key.length > maxKeyChars) continue;
    const meter = new JsonMeter();
    meter.add(Buffer.from(line));
    // One that is too deep would take all others with it when the file is read.
    if (meter.depth + levelsAbove > maxJsonDepth) continue;
    bytes += Buffer.byteLength(line) + 2;
    cost += meter.cost + 16;
    if (bytes > maxBytes || cost > maxCost) break;
    lines.unshift(line);
  }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(`{"version":${format},"entries":[\n${lines.join(',\n')}\n]}\n`);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  await removeAbandoned(file).catch(() => {});
}

/** What processes have left behind that were killed in the middle of a write. */
async function removeAbandoned(file: string): Promise<void> {
  const folder = dirname(file);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(file)}.`) || !name.endsWith('.tmp')) continue;
    const { mtimeMs } = await lstat(join(folder, name));
    if (Date.now() - mtimeMs > abandonedAfterMs) await rm(join(folder, name), { force: true });
  }
}
