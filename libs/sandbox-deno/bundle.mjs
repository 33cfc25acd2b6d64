/** Makes one file of the bootstrap: Deno starts some two milliseconds faster with one than with seven. */
import { build } from 'esbuild';

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ['assets/bootstrap.js'],
  outfile: 'dist/bootstrap/bootstrap.js',
  bundle: true,
  external: ['node:*'],
  format: 'esm',
  target: 'esnext',
});
