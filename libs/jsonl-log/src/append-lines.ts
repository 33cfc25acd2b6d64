import type { FileHandle } from 'node:fs/promises';

import { openToAppend } from './open-file.js';

const newline = 0x0a;

/** Why no more lines are taken: with them the file would be larger than it may be. */
export const fileIsFull = new TypeError('it is as large as it may become');

/**
 * Appends whole lines, each with its end, in as few writes as the disk allows, one as a rule; no more than `maxBytes`
 * are in the file then, unless a single line is longer. Resolves with how many of them are in the file and, if not
 * all, why: what a write left unfinished is closed by the next one, so that it takes no other line with it.
 */
export async function appendLines(
  path: string,
  lines: readonly Buffer[],
  maxBytes: number,
): Promise<{ written: number; reason?: unknown }> {
  let written = 0;
  try {
    const handle = await openToAppend(path);
    try {
      let isStuck = false;
      while (written < lines.length) {
        const fitting = linesWithin(lines.slice(written), (await handle.stat()).size, maxBytes);
        if (fitting.length === 0) throw fileIsFull;
        const done = await appendSome(handle, fitting);
        // A disk says why only when it takes nothing at all, so that is asked for once.
        if (done === 0 && isStuck) throw new TypeError('it takes parts of a line only');
        isStuck = done === 0;
        written += done;
      }
    } finally {
      await handle.close();
    }
    return { written };
  } catch (reason) {
    return { written, reason };
  }
}

/** The first lines, as many as there is room for. */
function linesWithin(lines: readonly Buffer[], size: number, maxBytes: number): readonly Buffer[] {
  let bytes = size;
  const count = lines.findIndex((line) => (bytes += line.length) > maxBytes);
  if (count < 0) return lines;
  return lines.slice(0, size === 0 ? Math.max(1, count) : count);
}

/** One write; resolves with the number of lines of which every byte was taken. */
async function appendSome(handle: FileHandle, lines: readonly Buffer[]): Promise<number> {
  const start = (await endsInsideLine(handle)) ? [Buffer.of(newline)] : [];
  const bytes = Buffer.concat([...start, ...lines]);
  const { bytesWritten } = await handle.write(bytes);
  let end = start.length;
  let count = 0;
  for (const line of lines) {
    end += line.length;
    if (end > bytesWritten) break;
    count++;
  }
  return count;
}

/** True after a process that was killed, or a disk that was full, in the middle of a line. */
async function endsInsideLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  const { bytesRead } = await handle.read(last, 0, 1, size - 1);
  return bytesRead === 1 && last[0] !== newline;
}
