import { CodeExecutorError } from '@code-executor/contracts';
import { readRegularFile } from '@code-executor/files';

import { maxWheelBytes } from './package-index.js';

/**
 * The bytes of a wheel on this machine. Never waits for a pipe or a device.
 *
 * @throws CodeExecutorError `failed_precondition` when there is no such file, or it cannot be one.
 */
export async function readWheelFile(path: string): Promise<Uint8Array> {
  const file = await readRegularFile(path, { maxBytes: maxWheelBytes, followLink: true });
  if (file) return file.bytes;
  throw new CodeExecutorError('failed_precondition', `File ${path} does not exist; correct the path.`);
}
