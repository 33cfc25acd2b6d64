import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder that serves as home and working directory, so that no file of the real user is found. */
export async function createHome(files: Record<string, string> = {}): Promise<string> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'mcp-server-e2e-')));
  await putInto(home, files);
  return home;
}

/** Writes files into a home. */
export async function putInto(home: string, files: Record<string, string>): Promise<void> {
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(home, name), text)));
}

/** Removes a home. Children of a killed server may still write there until the kernel has ended them too. */
export async function removeHome(home: string): Promise<void> {
  await rm(home, { recursive: true, force: true, maxRetries: 10 });
}

export function environmentOf(home: string, extra: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, ...extra };
}
