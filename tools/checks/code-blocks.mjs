/** Checks the syntax of code blocks. One checker per language; each returns a problem or undefined. */
import { spawnSync } from 'node:child_process';

import { parse as parseToml } from 'smol-toml';
import ts from 'typescript';

const thrown = (work) => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error.message;
  }
};

const firstOf = (diagnostics) => {
  const text = diagnostics?.[0]?.messageText;
  return text === undefined ? undefined : ts.flattenDiagnosticMessageText(text, '\n');
};

/** Checks JavaScript as TypeScript, because valid JavaScript is valid TypeScript. */
const typescript = (code) => {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext };
  return firstOf(ts.transpileModule(code, { reportDiagnostics: true, compilerOptions }).diagnostics);
};

const shell = (code) => {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' });
  return status === 0 ? undefined : stderr.trim();
};

const anything = () => undefined;

const checkers = new Map([
  ['json', (code) => thrown(() => JSON.parse(code))],
  ['jsonc', (code) => firstOf([ts.parseConfigFileTextToJson('block.jsonc', code).error].filter(Boolean))],
  ['toml', (code) => thrown(() => parseToml(code))],
  ['ts', typescript],
  ['js', typescript],
  ['bash', shell],
  ['sh', shell],
  // Python blocks are run; see python-examples.mjs.
  ['python', anything],
  ['text', anything],
  ['diff', anything],
]);

/** What is wrong with the block, or undefined. A block must name a language that can be checked. */
export function problemOf({ language, code, isUnclosed }) {
  if (isUnclosed) return 'The block is not closed.';
  const checker = checkers.get(language);
  if (checker) return checker(code);
  return `The language of the block is "${language}"; use one of ${[...checkers.keys()].join(', ')}.`;
}
