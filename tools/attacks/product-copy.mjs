/** A copy of the built product whose sources can be changed and built again, one file at a time. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { transform } from 'esbuild';

import { root, run } from '../run.mjs';

const notCopied = ['.git', '.nx'];
const bundles = [
  'libs/sandbox-deno/bundle.mjs',
  'libs/sandbox-pyodide/bundle.mjs',
  'apps/mcp-server/bundle.mjs',
];

/**
 * Copies everything but the history, packages too: links to their files would lead out of the cage. Resolves
 * with folders that go when this process ends: the copy's, and a temp one beside it.
 */
export async function copyProduct() {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'broken-walls-')));
  process.once('exit', () => rmSync(place, { recursive: true, force: true }));
  const [folder, temp] = ['product', 'temp'].map((name) => join(place, name));
  mkdirSync(folder);
  mkdirSync(temp);
  const own = readdirSync(root).filter((name) => !notCopied.includes(name));
  await succeed('cp', ['-a', ...own.map((name) => join(root, name)), folder]);
  return { folder, temp };
}

/**
 * Does some work while the copy is another product. Edits are `[file, text or pattern, what to put in its
 * place]`; one that changes nothing is an error.
 */
export async function withEdits(folder, edits, work) {
  const originals = new Map();
  try {
    for (const [file, from, to] of edits) {
      const text = readFileSync(join(folder, file), 'utf8');
      if (!originals.has(file)) originals.set(file, text);
      const edited = text.replace(from, to);
      if (edited === text) throw new Error(`${file} has no text like ${from}; mend the wall's edits.`);
      writeFileSync(join(folder, file), edited);
    }
    for (const file of originals.keys()) await compile(folder, file);
    for (const bundle of bundles) await succeed(process.execPath, [bundle], folder);
    return await work();
  } finally {
    for (const [file, text] of originals) {
      writeFileSync(join(folder, file), text);
      await compile(folder, file);
    }
  }
}

/** What the TypeScript compiler makes of one file, without looking at types: an edit may leave names unused. */
async function compile(folder, file) {
  if (!file.endsWith('.ts')) return;
  const { code } = await transform(readFileSync(join(folder, file), 'utf8'), {
    loader: 'ts',
    target: 'es2022',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  const built = file.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
  writeFileSync(join(folder, built), code);
}

async function succeed(command, args, cwd = root) {
  const { code, output } = await run(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${output}`);
}
