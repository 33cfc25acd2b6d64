/**
 * Makes a few files of the server and most of what it imports: clients start servers just to look, and
 * reading some 400 modules takes longer than anything else then. What only an execution needs is in
 * chunks of its own, loaded when it is needed. The sandboxes stay packages: their bootstraps
 * are files that Deno reads.
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { build } from 'esbuild';

/** A module with other contents than its file. */
function replace(filter, contents) {
  return { name: 'replace', setup: ({ onLoad }) => onLoad({ filter }, () => ({ contents })) };
}

/**
 * Leaves out the schemas of the SDK that nothing here uses. It makes all of them when it is loaded, and a list of them, which
 * costs as much as everything else that it does before the first answer.
 */
const withoutUnusedSchemas = {
  name: 'without-unused-schemas',
  setup({ onLoad }) {
    const filter = /@modelcontextprotocol[\\/](?:core|server)[\\/]dist[\\/](?:src|schemas|auth)-[\w-]+\.mjs$/;
    onLoad({ filter }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const withoutList = source.replace(/^for \(const [^\n]+\) register\(key, [^\n]+\);$/gm, '');
      return { contents: withoutList.replace(/^(?!\s*\*).*$/gm, markPure) };
    });
  },
};

/** Marks the calls of a line that make schemas: a bundler may drop them with the variable that nobody reads. */
function markPure(line) {
  return line.replace(/(?<![\w.$])(?=(?:z|[A-Z]\w*Schema)\.\w+\()/g, '/* @__PURE__ */ ');
}

const outdir = join(import.meta.dirname, 'dist');
// Chunks and their licences are named after their content: those of an earlier build would stay.
for (const name of await readdir(outdir)) {
  if (/\.(?:js|txt)$/.test(name)) await rm(join(outdir, name));
}
await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ['src/main.ts'],
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // The ES module form first: some packages' CommonJS form cannot be bundled.
  mainFields: ['module', 'main'],
  external: ['@code-executor/sandbox-deno', '@code-executor/sandbox-pyodide'],
  // CommonJS packages call it for the modules of Node.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  plugins: [
    withoutUnusedSchemas,
    // Messages of the schema library in 50 languages, of which one is used.
    replace(/zod[\\/]v4[\\/]locales[\\/]index\.js$/, "export { default as en } from './en.js';"),
    // The SDK also takes schemas of the library's third version; ours are of the fourth.
    replace(/zod[\\/]v3[\\/]index\.js$/, 'export const ZodFirstPartyTypeKind = {};'),
    replace(
      /zod-to-json-schema[\\/]dist[\\/]esm[\\/]index\.js$/,
      'export const zodToJsonSchema = undefined;',
    ),
    // What the SDK checks the answers to elicitations with; this server checks them itself.
    replace(
      /server[\\/]dist[\\/]shimsNode\.mjs$/,
      "export { default as process } from 'node:process'; export class DefaultJsonSchemaValidator {}",
    ),
    // The same in the earlier SDK, which the pool uses.
    replace(/validation[\\/]ajv-provider\.js$/, 'export class AjvJsonSchemaValidator {}'),
  ],
  minifyWhitespace: true,
  minifySyntax: true,
  chunkNames: 'chunk-[hash]',
  legalComments: 'linked',
  logLevel: 'warning',
});
