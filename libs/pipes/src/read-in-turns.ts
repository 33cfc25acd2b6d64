import type { Readable } from 'node:stream';

/** What a pipe gives at once if its writer is faster than its reader. */
const fullChunkBytes = 64 * 1024;

/**
 * Reads a stream for as long as it lasts, and lets everybody else have a turn after each full chunk. Node reads
 * up to thirty of them in a row, and what floods one pipe would hold up all others meanwhile.
 */
export function readInTurns(stream: Readable, onChunk: (chunk: Buffer) => void): void {
  stream.on('data', (chunk: Buffer) => {
    onChunk(chunk);
    if (chunk.length < fullChunkBytes) return;
    stream.pause();
    setImmediate(() => stream.resume());
  });
}
