import { createHash } from 'node:crypto';

import { CodeExecutorError } from '@code-executor/contracts';
import { type UnzipFileFilter, unzipSync } from 'fflate';

const maxFiles = 50_000;
/** A larger wheel would not fit into the memory of a program anyway. */
const maxUnpackedBytes = 512 * 1024 * 1024;

/** The files of a wheel by path, all of them checked. */
export type WheelArchive = ReadonlyMap<string, Uint8Array>;

/**
 * Unpacks a wheel in memory.
 *
 * @throws CodeExecutorError `invalid_argument` when it is damaged, too large, or names files outside itself.
 */
export function readWheelArchive(bytes: Uint8Array, fileName: string): WheelArchive {
  let count = 0;
  let packedBytes = 0;
  let unpackedBytes = 0;
  const admit = (file: { name: string; size: number; originalSize: number }): boolean => {
    if (++count > maxFiles) throw refused(fileName, `has more than ${maxFiles} files`);
    packedBytes += file.size;
    // Unpacking thousands of names for the same bytes would take hours.
    if (packedBytes > bytes.length) throw refused(fileName, 'has files that overlap');
    unpackedBytes += file.originalSize;
    if (unpackedBytes > maxUnpackedBytes) {
      throw refused(fileName, `is more than ${maxUnpackedBytes / 1024 / 1024} MB when unpacked`);
    }
    if (!isInside(file.name)) {
      throw refused(fileName, `has a file named ${JSON.stringify(file.name.slice(0, 100))}`);
    }
    return !file.name.endsWith('/');
  };
  const files = new Map(Object.entries(unzip(bytes, fileName, admit)));
  checkRecord(files, fileName);
  return files;
}

/** An error about a wheel's content. */
export function refused(fileName: string, what: string, cause?: unknown): CodeExecutorError {
  return new CodeExecutorError(
    'invalid_argument',
    `Wheel ${fileName} ${what}; nothing was added. Download it again.`,
    { cause },
  );
}

function unzip(bytes: Uint8Array, fileName: string, filter: UnzipFileFilter) {
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    throw CodeExecutorError.is(error) ? error : refused(fileName, 'is damaged or not a wheel', error);
  }
}

function isInside(name: string): boolean {
  return !/^(?:\/|[a-z]:)|\\|\p{Cc}/iu.test(name) && !name.split('/').includes('..');
}

/** Checks the hashes that a wheel lists for its files, because unpacking ignores zip's own checksums. */
function checkRecord(files: WheelArchive, fileName: string): void {
  const record = [...files].find(([name]) => /^[^/]+\.dist-info\/RECORD$/.test(name))?.[1];
  if (!record) throw refused(fileName, 'has no RECORD of its files');
  for (const line of new TextDecoder().decode(record).split('\n')) {
    const [, quoted, plain, digest] = /^(?:"((?:[^"]|"")*)"|([^",]*)),sha256=([\w-]+)/.exec(line) ?? [];
    const path = quoted?.replaceAll('""', '"') ?? plain ?? '';
    const content = files.get(path);
    if (!content || digest === undefined) continue;
    if (createHash('sha256').update(content).digest('base64url') !== digest) {
      throw refused(fileName, `is damaged: ${JSON.stringify(path.slice(0, 100))} is not what RECORD says`);
    }
  }
}
