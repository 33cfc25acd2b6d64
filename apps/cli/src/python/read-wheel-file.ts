import { CodeExecutorError } from '@code-executor/contracts';
import { readRegularFile } from '@code-executor/files';

import { maxWheelBytes } from './package-index.js';

/**
 * Reads a wheel on this machine. Never blocks on a pipe or a device.
 *
 * @throws CodeExecutorError `failed_precondition` when the file does not exist, or cannot be a wheel.
 */
export async function readWheelFile(path: string): Promise<Uint8Array> {
  const file = await readRegularFile(path, { maxBytes: maxWheelBytes, followLink: true });
  if (file) return file.bytes;
  throw new CodeExecutorError('failed_precondition', `File ${path} does not exist; correct the path.`);
}
