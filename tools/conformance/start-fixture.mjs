/** Bundles the fixture with the product's sources, because the built server is one program without parts, and runs it. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';

import { root } from '../run.mjs';

const outfile = join(root, 'node_modules', '.cache', 'conformance', 'fixture.mjs');
await build({
  entryPoints: [join(root, 'tools/conformance/fixture/serve.mjs')],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  // Resolved from where the bundle lies; workspaces as they were built.
  packages: 'external',
  logLevel: 'warning',
});
await import(pathToFileURL(outfile).href);
