import { createRequire } from 'node:module';
import { dirname } from 'node:path';

const require = createRequire(import.meta.url);

/** The folder of the npm package `pyodide`: interpreter and standard library. */
export const pyodideFolder = dirname(require.resolve('pyodide/package.json'));
