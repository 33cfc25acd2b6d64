import { createRequire } from 'node:module';
import { dirname } from 'node:path';

const require = createRequire(import.meta.url);

/**
 * The folder of the npm package `pyodide`, with the interpreter and the standard library. Searched only when it is
 * needed, because TypeScript runs without it.
 */
export function pyodideFolder(): string {
  return dirname(require.resolve('pyodide/package.json'));
}
