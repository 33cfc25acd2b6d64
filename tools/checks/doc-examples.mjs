/**
 * Compiles against the built packages, and runs, the first TypeScript block of each library's README and all of the
 * embedding guide. A line `console.log(x); // → text` states what is printed. A block marked `ts no-run` is only
 * compiled.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import ts from 'typescript';

import { root, run } from '../run.mjs';

const timeLimitMs = 60_000;

/** A separate folder in which examples resolve packages as a user's program does. */
const folder = join(root, 'node_modules', '.cache', 'doc-examples');

const compilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts'],
  types: ['node'],
  typeRoots: [join(root, 'node_modules', '@types')],
  strict: true,
  skipLibCheck: true,
  outDir: join(folder, 'out'),
  rootDir: folder,
};

const isReadme = /^libs[/\\][^/\\]+[/\\]README\.md$/;
const isGuide = /^docs[/\\]getting-started[/\\]embedding\.md$/;

/** One check per document that must have an example. */
export async function checkExamples(documents) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const examples = await Promise.all(documents.flatMap(blocksOf).map(writeExample));
  const program = ts.createProgram(
    examples.filter((example) => example.file).map((example) => example.file),
    compilerOptions,
  );
  program.emit();
  const checks = [];
  for (const example of examples) {
    const problem = await problemOf(example, program);
    checks.push({
      name: `${example.name}: example`,
      passed: problem ? 0 : 1,
      failed: problem ? 1 : 0,
      detail: problem,
    });
  }
  await rm(folder, { recursive: true, force: true });
  return checks;
}

/** The examples of a document; for a README without one, an entry with an undefined block. */
function blocksOf({ name, blocks }) {
  const examples = blocks.filter(({ language }) => language === 'ts');
  if (isReadme.test(name)) return [{ name, block: examples[0] }];
  if (!isGuide.test(name)) return [];
  return examples.map((block, index) => ({ name: `${name} ${index + 1}`, block }));
}

async function writeExample({ name, block }) {
  if (!block) return { name };
  const file = join(folder, `${name.replace(/\W+/g, '-')}.mts`);
  await writeFile(file, block.code);
  return { name, block, file };
}

async function problemOf({ block, file }, program) {
  if (!block) return 'There is no ```ts block.';
  const diagnostics = ts.getPreEmitDiagnostics(program, program.getSourceFile(file));
  if (diagnostics.length > 0) {
    const host = { getCanonicalFileName: String, getCurrentDirectory: () => folder, getNewLine: () => '\n' };
    return ts.formatDiagnostics(diagnostics, host);
  }
  if (block.info.includes('no-run')) return undefined;
  const script = file.replace(folder, join(folder, 'out')).replace(/\.mts$/, '.mjs');
  const { code, stdout, output } = await run(process.execPath, [script], {
    cwd: folder,
    timeoutMs: timeLimitMs,
  });
  if (code !== 0) return `It ended with exit code ${code}:\n${output}`;
  const expected = [...block.code.matchAll(/console\.log\(.*\/\/ → (.*)$/gm)].map((match) => match[1].trim());
  const printed = stdout.trimEnd().split('\n');
  const wrong = expected.findIndex((line, index) => line !== printed[index]?.trim());
  if (wrong === -1) return undefined;
  return `It should have printed "${expected[wrong]}", but printed:\n${output}`;
}
