import type { Writable } from 'node:stream';

/**
 * Writes at once; what follows within the same turn of the event loop goes out together, in one more system
 * call. Each of those wakes whoever reads at the other end, which costs more than everything else about a
 * short message; and who is woken by the first works while the others are made.
 */
export function writeTogether(stream: Writable, data: string | Buffer, onWritten?: () => void): void {
  const isFirst = stream.writableCorked === 0;
  stream.write(data, onWritten);
  if (!isFirst) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
