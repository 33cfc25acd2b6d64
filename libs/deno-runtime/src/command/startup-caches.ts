import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const maxBytes = 4 * 1024 * 1024;

/**
 * Deno's caches as the first process left them when it was ready: it had read our entry script, and no
 * program yet. Those that follow start with a copy and save a quarter of their start, most of which goes
 * into making databases. Kept in memory, where nothing can change them; per runtime and entry script.
 */
const kept = new Map<string, ReadonlyMap<string, Buffer>>();

/** Makes the folder with a copy of the caches, if there are any yet; Deno makes it otherwise. */
export function putStartupCaches(key: string, denoDir: string): void {
  const files = kept.get(key);
  if (!files) return;
  mkdirSync(denoDir);
  for (const [name, bytes] of files) writeFileSync(join(denoDir, name), bytes);
}

/** Remembers the caches of a process that waits for its program. */
export function keepStartupCaches(key: string, denoDir: string): void {
  if (kept.has(key)) return;
  const files = new Map<string, Buffer>();
  let bytes = 0;
  for (const entry of readdirSync(denoDir, { withFileTypes: true })) {
    // Memory that processes share over a database is made anew.
    if (!entry.isFile() || entry.name.endsWith('-shm')) continue;
    const content = readFileSync(join(denoDir, entry.name));
    files.set(entry.name, content);
    bytes += content.length;
  }
  kept.set(key, bytes <= maxBytes ? files : new Map());
}
