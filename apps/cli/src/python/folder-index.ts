import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { CodeExecutorError, systemCodeOf } from '@code-executor/contracts';

import type { OfferedWheel, PackageIndex } from './package-index.js';
import { readWheelFile } from './read-wheel-file.js';
import { parseWheelName } from './wheel-name.js';

/** A folder of wheels as an index. */
export class FolderIndex implements PackageIndex {
  readonly name: string;

  constructor(folder: string) {
    this.name = folder;
  }

  async offers(packageName: string): Promise<OfferedWheel[]> {
    const fileNames = await readdir(this.name).catch((reason: unknown) => {
      const code = systemCodeOf(reason) ?? 'unknown reason';
      throw new CodeExecutorError(
        'failed_precondition',
        `The index ${this.name} cannot be read (${code}); correct executors.python.indexUrl or --index-url.`,
        { cause: reason },
      );
    });
    return fileNames
      .filter((fileName) => parseWheelName(fileName)?.name === packageName)
      .map((fileName) => ({ fileName, url: pathToFileURL(join(this.name, fileName)), isYanked: false }));
  }

  read({ url }: OfferedWheel): Promise<Uint8Array> {
    return readWheelFile(fileURLToPath(url));
  }
}
