import type { FileHandle } from 'node:fs/promises';

/** A line without its end; `bytes` are absent if it is too long to be read. */
export interface Line {
  bytes?: Buffer;
  /** Counted from 1. */
  number: number;
  /** False for a last line without an end. */
  isFinished: boolean;
}

/** Longer lines are neither written nor read. In bytes, with the line break. */
export const maxLineBytes = 1024 * 1024;
const windowBytes = maxLineBytes;
const newline = 0x0a;

/**
 * The lines of a file up to its present end, some at a time. From the newest on, they cost one more pass, which counts
 * them.
 */
export async function* readLines(handle: FileHandle, order: 'oldest' | 'newest'): AsyncGenerator<Line[]> {
  const { size } = await handle.stat();
  const isForward = order === 'oldest';
  let number = isForward ? 1 : await countLines(handle, size);
  for await (const { bytes, to } of isForward ? fromStart(handle, size) : fromEnd(handle, size)) {
    const isUnfinished = to === size && bytes?.at(-1) !== newline;
    const parts = bytes ? split(bytes) : [undefined];
    const lines = parts.map((part, index): Line => {
      const isFinished = !(isUnfinished && index === parts.length - 1);
      const place = isForward ? number + index : number - parts.length + 1 + index;
      return { number: place, isFinished, ...(part && { bytes: part }) };
    });
    number += isForward ? parts.length : -parts.length;
    yield isForward ? lines : lines.reverse();
  }
}

/** Whole lines up to an offset, or one that is too long. */
interface Stretch {
  bytes?: Buffer;
  to: number;
}

async function* fromStart(handle: FileHandle, size: number): AsyncGenerator<Stretch> {
  for (let from = 0, to; from < size; from = to) {
    const bytes = await readAt(handle, from, Math.min(from + windowBytes, size));
    const length = from + bytes.length >= size ? bytes.length : bytes.lastIndexOf(newline) + 1;
    to = from + length;
    if (length > 0) yield { bytes: bytes.subarray(0, length), to };
    else yield { to: (to = await endOfLine(handle, from + bytes.length, size)) };
  }
}

async function* fromEnd(handle: FileHandle, size: number): AsyncGenerator<Stretch> {
  for (let to = size, from; to > 0; to = from) {
    const start = Math.max(0, to - windowBytes);
    const bytes = await readAt(handle, start, to);
    // The end of the previous line, not that of the last line in the window.
    const first = start === 0 ? 0 : bytes.subarray(0, -1).indexOf(newline) + 1;
    from = start + first;
    if (first > 0 || start === 0) yield { bytes: bytes.subarray(first), to };
    else {
      yield { to };
      from = await startOfLine(handle, start);
    }
  }
}

async function endOfLine(handle: FileHandle, start: number, size: number): Promise<number> {
  for (let from = start; from < size; from += windowBytes) {
    const end = (await readAt(handle, from, Math.min(from + windowBytes, size))).indexOf(newline);
    if (end >= 0) return from + end + 1;
  }
  return size;
}

async function startOfLine(handle: FileHandle, end: number): Promise<number> {
  for (let to = end; to > 0; to -= windowBytes) {
    const from = Math.max(0, to - windowBytes);
    const before = (await readAt(handle, from, to)).lastIndexOf(newline);
    if (before >= 0) return from + before + 1;
  }
  return 0;
}

async function countLines(handle: FileHandle, size: number): Promise<number> {
  let count = 0;
  let last = newline;
  for (let from = 0; from < size; from += windowBytes) {
    const bytes = await readAt(handle, from, Math.min(from + windowBytes, size));
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count++;
    last = bytes.at(-1) ?? last;
  }
  return last === newline ? count : count + 1;
}

/** Rejects if the file shrinks meanwhile, because its lines are then unknown. */
async function readAt(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(to - from);
  for (let length = 0; length < bytes.length;) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, from + length);
    if (bytesRead === 0) throw new TypeError('it became shorter while it was read');
    length += bytesRead;
  }
  return bytes;
}

function split(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(newline, start);
    lines.push(bytes.subarray(start, end < 0 ? bytes.length : end));
    if (end < 0) break;
    start = end + 1;
  }
  return lines;
}
