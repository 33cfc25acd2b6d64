import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const maxBytes = 4 * 1024 * 1024;

/**
 * Deno's caches as the first process left them when it was ready: it had read our entry script, and no
 * program yet. Those that follow start with a copy and save a quarter of their start, most of which goes
 * into making databases. Kept in memory, where nothing can change them; per runtime and entry script.
 */
const kept = new Map<string, ReadonlyMap<string, Buffer>>();

/** Makes the folder with a copy of the caches, if there are any yet and the disk has room; else Deno makes it. */
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

/** Remembers the caches of a process that waits for its program. */
export function keepStartupCaches(key: string, denoDir: string): void {
  if (kept.has(key)) return;
  try {
    kept.set(key, readCaches(denoDir));
  } catch {
    // Without a folder, Deno keeps its caches in memory: the next process may have one.
  }
}

function readCaches(denoDir: string): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  let bytes = 0;
  for (const entry of readdirSync(denoDir, { withFileTypes: true })) {
    // Memory that processes share over a database is made anew.
    if (!entry.isFile() || entry.name.endsWith('-shm')) continue;
    const content = readFileSync(join(denoDir, entry.name));
    files.set(entry.name, content);
    bytes += content.length;
  }
  return bytes <= maxBytes ? files : new Map();
}
