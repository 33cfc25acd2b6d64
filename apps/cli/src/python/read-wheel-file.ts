import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

import { CodeExecutorError } from '@code-executor/contracts';

import { maxWheelBytes } from './package-index.js';

/**
 * The bytes of a wheel on this machine. Never waits for a pipe or a device.
 *
 * @throws CodeExecutorError `failed_precondition` when there is no such file, or it cannot be one.
 */
export async function readWheelFile(path: string): Promise<Uint8Array> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((reason: unknown) => {
    const { code = 'unknown reason' } = reason as NodeJS.ErrnoException;
    throw unusable(path, code === 'ENOENT' ? 'does not exist' : `cannot be opened (${code})`, reason);
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw unusable(path, 'is no regular file');
    if (stats.size > maxWheelBytes) throw unusable(path, `is larger than ${maxWheelBytes / 1024 / 1024} MB`);
    // As much as was there at first, should somebody write to it meanwhile.
    const bytes = new Uint8Array(stats.size);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function unusable(path: string, what: string, cause?: unknown): CodeExecutorError {
  return new CodeExecutorError('failed_precondition', `File ${path} ${what}; correct the path.`, { cause });
}
