import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One for all test files: it takes seconds to make. Its name in there says what it was made of. */
export function snapshotDir(): string {
  return join(tmpdir(), 'code-executor-tests-python');
}
