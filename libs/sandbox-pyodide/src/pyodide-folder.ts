import { createRequire } from 'node:module';
import { dirname } from 'node:path';

const require = createRequire(import.meta.url);

/**
 * The folder of the npm package `pyodide`: interpreter and standard library. Looked for when it is needed:
 * TypeScript runs without it.
 */
export function pyodideFolder(): string {
  return dirname(require.resolve('pyodide/package.json'));
}
