import { dirname } from 'node:path';

import { JsonMeter, maxJsonDepth } from '@code-executor/pipes';
import { makePrivateFolder, readRegularFile, replaceFile } from '@code-executor/files';

import { type Entry, isEntry, toJson } from './entry.js';

const format = 1;
const maxBytes = 32 * 1024 * 1024;
const maxKeyChars = 1000;
/** The file adds two levels to an entry: a list in an object. */
const levelsAbove = 2;
/** As `JsonMeter` measures it: four times what one server's list of tools may cost. */
const maxCost = 128 * 1024 * 1024;

/**
 * The entries of the file in its order, none if there is no file. Rejects with the reason when there is
 * something other than a cache file of this user. Never follows a link, never waits for a pipe.
 */
export async function readCacheFile(file: string): Promise<Map<string, Entry>> {
  const found = await readRegularFile(file, { maxBytes, writableBy: 'owner' });
  return found ? parse(found.bytes) : new Map();
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
 * size that is read again are left out, the first ones before the last. Rejects if it cannot be written.
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
    // An entry that is too deep would make the whole file unreadable.
    if (meter.depth + levelsAbove > maxJsonDepth) continue;
    bytes += Buffer.byteLength(line) + 2;
    cost += meter.cost + 16;
    if (bytes > maxBytes || cost > maxCost) break;
    lines.unshift(line);
  }
  await makePrivateFolder(dirname(file));
  await replaceFile(file, `{"version":${format},"entries":[\n${lines.join(',\n')}\n]}\n`);
}
