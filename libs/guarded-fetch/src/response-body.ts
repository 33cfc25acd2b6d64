import { type Readable, Transform, type TransformCallback, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

import { CodeExecutorError } from '@code-executor/contracts';

/** The encodings that servers are asked for, and that can be decoded. */
export const acceptedEncodings = 'gzip, deflate, br';

/** How many encodings one body may have, one inside the other; more is an attack. */
const maxEncodings = 3;

// As in browsers, flushed data counts even if the end is missing.
const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const brotliFlush = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};
const decoders = new Map<string, () => Transform>([
  ['gzip', () => createGunzip(flush)],
  ['x-gzip', () => createGunzip(flush)],
  ['deflate', () => createInflate(flush)],
  ['br', () => createBrotliDecompress(brotliFlush)],
]);

/**
 * The transforms that decode a `content-encoding`, in order; undefined if one is not known, in which case the body is
 * passed on as it is.
 */
export function decodersFor(contentEncoding: string): Transform[] | undefined {
  const encodings = contentEncoding
    .toLowerCase()
    .split(/\s*,\s*/)
    .filter((name) => name !== '' && name !== 'identity');
  if (encodings.length > maxEncodings) return undefined;
  const makers = encodings.reverse().map((name) => decoders.get(name.trim()));
  return makers.every((make) => make !== undefined) ? makers.map((make) => make()) : undefined;
}

/** Reads a body of at most `maxBytes`, as sent and as decoded; throws `resource_exhausted` at the first byte beyond. */
export async function readBody(
  body: Readable,
  decode: readonly Transform[],
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  const sent = new Transform({
    transform: bounded(maxBytes, (chunk, done: TransformCallback) => done(null, chunk)),
  });
  const decoded = new Writable({
    write: bounded(maxBytes, (chunk, done: (error?: Error) => void) => {
      chunks.push(chunk);
      done();
    }),
  });
  await pipeline([body, sent, ...decode, decoded]);
  return Buffer.concat(chunks);
}

/** A stream's step that fails as soon as more than `maxBytes` have come. */
function bounded<Done extends (error?: Error) => void>(
  maxBytes: number,
  pass: (chunk: Buffer, done: Done) => void,
) {
  let bytes = 0;
  return (chunk: Buffer, _encoding: BufferEncoding, done: Done) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) pass(chunk, done);
    else done(tooLarge(maxBytes));
  };
}

function tooLarge(maxBytes: number): CodeExecutorError {
  return new CodeExecutorError(
    'resource_exhausted',
    `The answer is larger than ${maxBytes} bytes; ask for a part of it, for example with a Range header.`,
  );
}
