import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { OwnFiles } from '@code-executor/deno-runtime';

/** What `code-executor python add` writes beside the wheels: which there are, and what they need. */
export const lockFileName = 'pyodide-lock.json';

/** The operator's packages, if there are any. */
export function packageFiles(folder: string | undefined): OwnFiles {
  return folder !== undefined && existsSync(join(folder, lockFileName)) ? { packages: folder } : {};
}
