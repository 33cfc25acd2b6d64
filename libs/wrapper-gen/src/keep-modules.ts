import { CodeExecutorError } from '@code-executor/contracts';

import { type IndexedModule, indexFile, stemOf } from './index-file.js';
import type { WrapperFile } from './wrapper-file.js';

/**
 * Returns the files with an index that also exports these other modules of their folders.
 *
 * @throws CodeExecutorError `failed_precondition` when one of them has the name of a new one: such servers only get
 * different names if they are generated together.
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
    const { form } = file;
    if (stemOf(file) !== form.index.stem) return file;
    return indexFile(
      form,
      [...modules, ...others].filter((other) => other.form === form),
    );
  });
}

/** Whether file names or identifiers of two modules collide, so that one would hide the other. */
function areAlike(a: IndexedModule, b: IndexedModule): boolean {
  if (a.form !== b.form) return false;
  const namesOf = (one: IndexedModule) => [stemOf(one), one.module.identifier];
  const taken = new Set(namesOf(a));
  return namesOf(b).some((name) => taken.has(name));
}
