/** Bundles each entry script into one file that contains the Python modules. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const lockFile = fileURLToPath(import.meta.resolve('pyodide/pyodide-lock.json'));
const { info, packages } = JSON.parse(await readFile(lockFile, 'utf8'));
const renamed = Object.values(packages).flatMap(({ name, imports }) =>
  imports.filter((module) => module !== name && !packages[module]).map((module) => [module, name]),
);

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ['assets/bootstrap.js', 'assets/make-snapshot.js'],
  outdir: 'dist/bootstrap',
  bundle: true,
  external: ['node:*'],
  format: 'esm',
  target: 'esnext',
  define: {
    PYODIDE_INFO: JSON.stringify(info),
    PYODIDE_PACKAGES: JSON.stringify(Object.fromEntries(renamed)),
  },
  loader: { '.py': 'text' },
});
