import { readlinkSync } from 'node:fs';
import { constants, type FileHandle, open } from 'node:fs/promises';

/** `O_PATH` refers to a file without opening it for reading. It is the same on x64 and arm64; Node has no name for it. */
export const pathOnly = 0o10000000;

/** A link lies on the way. */
export class LinkOnTheWay extends Error {}

/**
 * Opens a path beneath a folder that is held open, one step after the other. No link is followed, not even one that
 * appears meanwhile: each step starts at the previous folder, which stays open (`openat`, through `/proc/self/fd`).
 */
export async function openBeneath(folder: number, steps: readonly string[]): Promise<FileHandle> {
  let held = await open(`/proc/self/fd/${folder}`, pathOnly);
  try {
    for (const step of steps) {
      const next = await open(`/proc/self/fd/${held.fd}/${step}`, pathOnly | constants.O_NOFOLLOW);
      await held.close();
      held = next;
      if ((await held.stat()).isSymbolicLink()) throw new LinkOnTheWay();
    }
    return held;
  } catch (reason) {
    await held.close();
    throw reason;
  }
}

/** The present path of an open file or folder, without links; ends in ` (deleted)` if it no longer has one. */
export function placeOf(descriptor: number): string {
  return readlinkSync(`/proc/self/fd/${descriptor}`);
}
