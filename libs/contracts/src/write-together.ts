import type { Writable } from 'node:stream';

/**
 * Writes; what is written within one turn of the event loop goes out in one system call. Each of those wakes
 * whoever reads at the other end, which costs more than everything else about a short message.
 */
export function writeTogether(stream: Writable, text: string, onWritten?: () => void): void {
  if (stream.writableCorked === 0) {
    stream.cork();
    process.nextTick(() => stream.uncork());
  }
  stream.write(text, onWritten);
}
