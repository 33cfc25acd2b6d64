import { basename } from 'node:path/posix';

import { type WrapperFile, wrapperFile, type WrapperModule } from './wrapper-file.js';
import type { WrapperForm } from './wrapper-form.js';

/** A module that the index exports. */
export interface IndexedModule {
  path: string;
  form: WrapperForm;
  module: WrapperModule;
}

/** The file that exports all servers; the same modules result in the same file, whatever their order. */
export function indexFile(form: WrapperForm, modules: readonly IndexedModule[]): WrapperFile {
  const sorted = [...modules].sort((a, b) => (a.path < b.path ? -1 : 1));
  const servers = sorted.map((one) => ({ identifier: one.module.identifier, stem: stemOf(one) }));
  return wrapperFile(form, form.index.stem, form.index.content(servers));
}

/** The name of a file without folder and extension. */
export function stemOf({ path, form }: Pick<WrapperFile, 'path' | 'form'>): string {
  return basename(path, form.extension);
}
