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
import { dirname, join } from 'node:path';

import { transform } from 'esbuild';

import { root, run } from '../run.mjs';

const notCopied = ['.git', '.nx'];
const bundles = [
  'libs/sandbox-deno/bundle.mjs',
  'libs/sandbox-pyodide/bundle.mjs',
  'apps/mcp-server/bundle.mjs',
];

/**
 * Copies everything but the history, including packages, because links to them would lead out of the cage. Resolves
 * with two folders that are removed when this process ends: the copy and a temporary folder beside it.
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
 * Returns the files that edits change, with their text before and after. An edit is `[file, text or pattern,
 * replacement]`; one that changes nothing is an error.
 */
export function applyEdits(folder, edits) {
  const files = new Map();
  for (const [file, from, to] of edits) {
    const { before, after } = files.get(file) ?? readTwice(join(folder, file));
    const edited = after.replace(from, to);
    if (edited === after)
      throw new Error(`${file} has no text that matches ${from}; update the edits of this wall.`);
    files.set(file, { before, after: edited });
  }
  return files;
}

function readTwice(path) {
  const before = readFileSync(path, 'utf8');
  return { before, after: before };
}

/** Does some work while the copy is changed by edits, and reverts them. */
export async function withEdits(folder, edits, work) {
  const files = applyEdits(folder, edits);
  try {
    for (const [file, { after }] of files) writeFileSync(join(folder, file), after);
    for (const file of files.keys()) await compile(folder, file);
    for (const bundle of bundles) await succeed(process.execPath, [bundle], folder);
    return await work();
  } finally {
    for (const [file, { before }] of files) {
      writeFileSync(join(folder, file), before);
      await compile(folder, file);
    }
  }
}

async function compile(folder, file) {
  if (!file.endsWith('.ts')) return;
  const built = join(folder, file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'));
  // A bundle has no folders.
  mkdirSync(dirname(built), { recursive: true });
  writeFileSync(built, await toJavaScript(readFileSync(join(folder, file), 'utf8')));
}

/** Compiles TypeScript without type checking, because an edit may leave names unused. */
export async function toJavaScript(text) {
  const { code } = await transform(text, {
    loader: 'ts',
    target: 'es2022',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return code;
}

async function succeed(command, args, cwd = root) {
  const { code, output } = await run(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${output}`);
}
