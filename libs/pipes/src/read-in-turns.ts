import type { Readable } from 'node:stream';

/** The size of a chunk if the writer of a pipe is faster than its reader. */
const fullChunkBytes = 64 * 1024;

/**
 * Reads a stream to its end, and lets other work run after each full chunk. By default, Node reads up to thirty of them
 * in a row, so a writer that floods one pipe would hold up all others.
 */
export function readInTurns(stream: Readable, onChunk: (chunk: Buffer) => void): void {
  stream.on('data', (chunk: Buffer) => {
    onChunk(chunk);
    if (chunk.length < fullChunkBytes) return;
    stream.pause();
    setImmediate(() => stream.resume());
  });
}
