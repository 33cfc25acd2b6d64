import { CodeExecutorError } from '@code-executor/contracts';
import type { ToolLanguage } from '@code-executor/schema-types';

import { type IndexedModule, indexFile, indexPath, stemOf } from './index-file.js';
import type { WrapperFile } from './wrapper-file.js';

/**
 * The files with an index that exports these other modules of their folders too.
 *
 * @throws CodeExecutorError `failed_precondition` when one of them has the name of a new one: only together do
 * such servers get names that differ.
 */
export function keepModules(
  files: readonly WrapperFile[],
  others: readonly IndexedModule[],
): readonly WrapperFile[] {
  const modules = files.filter((file): file is WrapperFile & IndexedModule => file.module !== undefined);
  for (const other of others) {
    const same = modules.find((own) => areAlike(own, other));
    if (!same) continue;
    const [a, b] = [same.module.server, other.module.server].map((name) => JSON.stringify(name.slice(0, 80)));
    throw new CodeExecutorError(
      'failed_precondition',
      `The servers ${a ?? ''} and ${b ?? ''} have the same name in code; generate the wrappers of both at once, or name another directory.`,
    );
  }
  return files.map((file) => {
    const language = languageOf(file.path);
    if (file.path !== indexPath[language]) return file;
    const isBeside = ({ path }: IndexedModule) => languageOf(path) === language;
    return indexFile(language, [...modules, ...others].filter(isBeside));
  });
}

/** A module must not have the name that another server goes by either: the one would hide the other. */
function areAlike(a: IndexedModule, b: IndexedModule): boolean {
  if (languageOf(a.path) !== languageOf(b.path)) return false;
  const namesOf = ({ path, module }: IndexedModule) => [stemOf(path), module.identifier];
  const taken = new Set(namesOf(a));
  return namesOf(b).some((name) => taken.has(name));
}

function languageOf(path: string): ToolLanguage {
  return path.startsWith('python/') ? 'python' : 'typescript';
}
