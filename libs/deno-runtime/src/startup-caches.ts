import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const maxBytes = 4 * 1024 * 1024;

/**
 * Deno's caches, as the first process left them when it was ready: it had read the entry script, but no program yet.
 * Later processes get a copy, which saves a quarter of their start, mostly for creating databases. The caches are kept
 * in memory, where nothing can change them, per runtime and entry script.
 */
const kept = new Map<string, ReadonlyMap<string, Buffer>>();

/** Creates the folder with a copy of the caches, if there are any and the disk has room. Otherwise Deno creates it. */
export function putStartupCaches(key: string, denoDir: string): void {
  const files = kept.get(key);
  if (!files) return;
  try {
    mkdirSync(denoDir);
    for (const [name, bytes] of files) writeFileSync(join(denoDir, name), bytes);
  } catch {
    rmSync(denoDir, { recursive: true, force: true });
  }
}

/** Keeps the caches of a process that waits for its program. */
export function keepStartupCaches(key: string, denoDir: string): void {
  if (kept.has(key)) return;
  try {
    kept.set(key, readCaches(denoDir));
  } catch {
    // Without a folder, Deno keeps its caches in memory. The next process may have a folder.
  }
}

function readCaches(denoDir: string): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  let bytes = 0;
  for (const entry of readdirSync(denoDir, { withFileTypes: true })) {
    // The shared memory of a database is created again when the database is opened.
    if (!entry.isFile() || entry.name.endsWith('-shm')) continue;
    const content = readFileSync(join(denoDir, entry.name));
    files.set(entry.name, content);
    bytes += content.length;
  }
  return bytes <= maxBytes ? files : new Map();
}
