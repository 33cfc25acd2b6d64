/** Makes one file of each entry script, with the Python modules in it. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const lockFile = fileURLToPath(import.meta.resolve('pyodide/pyodide-lock.json'));
const { info } = JSON.parse(await readFile(lockFile, 'utf8'));

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ['assets/bootstrap.js', 'assets/make-snapshot.js'],
  outdir: 'dist/bootstrap',
  bundle: true,
  format: 'esm',
  target: 'esnext',
  define: { PYODIDE_INFO: JSON.stringify(info) },
  loader: { '.py': 'text' },
});
