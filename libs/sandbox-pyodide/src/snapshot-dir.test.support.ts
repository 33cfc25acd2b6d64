import { fileURLToPath } from 'node:url';

/** One for all test files: it takes seconds to make. Its name in there says what it was made of. */
export function snapshotDir(): string {
  return fileURLToPath(new URL('../../../node_modules/.cache/code-executor-python', import.meta.url));
}
