/**
 * Bundles a fixture with the product's sources, because the built server is one program without parts, and runs it:
 * node start-fixture.mjs serve|serve-tasks
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';

import { root } from '../run.mjs';

const [name] = process.argv.slice(2);
const outfile = join(root, 'node_modules', '.cache', 'conformance', `${name}.mjs`);
await build({
  entryPoints: [join(root, 'tools/conformance/fixture', `${name}.mjs`)],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  // Resolved from where the bundle lies; workspaces as they were built.
  packages: 'external',
  plugins: [{ name: 'sooner', setup: becomesTaskSooner }],
  logLevel: 'warning',
});
await import(pathToFileURL(outfile).href);

/** The suite expects a task of every call that takes a second, the product makes one of those that take ten. */
function becomesTaskSooner({ onLoad }) {
  onLoad({ filter: /calls[\\/]call-tool\.ts$/ }, async ({ path }) => {
    const text = await readFile(path, 'utf8');
    const contents = text.replace('const longMs = 10_000;', 'const longMs = 200;');
    if (contents === text) throw new Error(`${path} does not say how long a call takes that becomes a task.`);
    return { contents, loader: 'ts' };
  });
}
