import type { Writable } from 'node:stream';

/**
 * Writes at once; further writes in the same turn of the event loop go out together, in one more system call. Each
 * system call wakes the reader at the other end, which costs more than everything else about a short message. The
 * reader already works on the first message while the others are created.
 */
export function writeTogether(stream: Writable, data: string | Buffer, onWritten?: () => void): void {
  const isFirst = stream.writableCorked === 0;
  stream.write(data, onWritten);
  if (!isFirst) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
