import type { FileHandle } from 'node:fs/promises';

import { openToAppend } from './open-file.js';

const newline = 0x0a;

/** The reason for taking no more lines: the file would become larger than it may be. */
export const fileIsFull = new TypeError('it is as large as it may become');

/** How a write left a file, after whole lines. While the file still ends there, no other process has written to it. */
export interface FileEnd {
  inode: number;
  size: number;
}

/**
 * Appends whole lines, each with its end, in as few writes as the disk allows: usually one. The file then has at most
 * `maxBytes`, unless a single line is longer. Resolves with the number of lines that are in the file and, if some are
 * not, the reason. If a write leaves a line unfinished, the next write ends that line first, so that no other line is
 * lost with it. With `known`, how the file ended after the last write, a file that is gone is not made again.
 */
export async function appendLines(
  path: string,
  lines: readonly Buffer[],
  maxBytes: number,
  known?: FileEnd,
): Promise<{ written: number; reason?: unknown; end?: FileEnd }> {
  let written = 0;
  try {
    const { handle, inode, size } = await openToAppend(path, { isThere: known !== undefined });
    let end: FileEnd = { inode, size };
    let endsWithLine = known?.inode === inode && known.size === size;
    try {
      let isStuck = false;
      while (written < lines.length) {
        const fitting = linesWithin(lines.slice(written), end.size, maxBytes);
        if (fitting.length === 0) throw fileIsFull;
        const start = endsWithLine || (await isWholeLine(handle, end.size)) ? [] : [Buffer.of(newline)];
        const { bytesWritten } = await handle.write(Buffer.concat([...start, ...fitting]));
        const done = linesOf(fitting, bytesWritten - (start[0]?.length ?? 0));
        // A disk gives its reason only when it takes nothing at all, so try once more to get it.
        if (done === 0 && isStuck) throw new TypeError('it takes parts of a line only');
        isStuck = done === 0;
        written += done;
        endsWithLine = false;
        // Other processes may have written, too.
        end =
          written < lines.length
            ? { inode, size: (await handle.stat()).size }
            : { inode, size: end.size + bytesWritten };
      }
    } finally {
      await handle.close();
    }
    return { written, end };
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

/** How many of the lines lie in the first bytes of them all. */
function linesOf(lines: readonly Buffer[], bytes: number): number {
  let end = 0;
  const torn = lines.findIndex((line) => (end += line.length) > bytes);
  return torn < 0 ? lines.length : torn;
}

/** False if a process was killed, or the disk was full, in the middle of a line. */
async function isWholeLine(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  const { bytesRead } = await handle.read(last, 0, 1, size - 1);
  return bytesRead === 0 || last[0] === newline;
}
