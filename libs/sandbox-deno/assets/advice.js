import { looksLike } from '@code-executor/deno-runtime/assets/looks-like.js';

// Taken before the program runs.
const { ReferenceError, TypeError } = globalThis;

/** Whether an import found nothing, or was refused. Deno gives what it cannot parse the same class and code. */
export function isImportFailure(error) {
  return (
    error instanceof TypeError &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    !error.message.startsWith('SyntaxError: ')
  );
}

/** @param place Where the import stands, as the rest of its line. */
export function describeImportFailure(place = '') {
  const [, specifier] = /^(?:await\s+)?(?:import\(\s*)?["']([^"']*)["']/.exec(place) ?? [];
  const what = specifier === undefined ? 'This module' : `"${specifier}"`;
  return `${what} cannot be imported: programs import modules of Node, such as "node:crypto", and nothing from npm, the network or files.`;
}

/** Advice on a global that is not there, which programs for other places expect. */
export function adviceOnGlobal(error, source) {
  if (!(error instanceof ReferenceError)) return undefined;
  // V8 names the global in the text of the error alone, so the program is looked at.
  if (/\brequire\s*\(/.test(source)) {
    return 'There is no require; import modules of Node: import { createHash } from "node:crypto".';
  }
  return looksLike(source, 'typescript');
}
