import { basename, extname } from 'node:path/posix';

import { quoted, type ToolLanguage } from '@code-executor/schema-types';

import { fillTemplate } from './templates.js';
import { hashOf, type WrapperFile, type WrapperModule } from './wrapper-file.js';

/** A module that the index exports. */
export interface IndexedModule {
  path: string;
  module: WrapperModule;
}

/** The path of the file through which all servers are reached. */
export const indexPath = { typescript: 'typescript/index.ts', python: 'python/__init__.py' } as const;

/** That file; the same modules give the same file, whatever their order. */
export function indexFile(language: ToolLanguage, modules: readonly IndexedModule[]): WrapperFile {
  const sorted = [...modules].sort((a, b) => (a.path < b.path ? -1 : 1));
  const servers = sorted.map(({ path, module }) => ({
    identifier: module.identifier,
    stem: stemOf(path),
  }));
  const names = ['McpToolError', 'ToolNotAllowedError', ...servers.map(({ identifier }) => identifier)];
  const view = { servers, names: names.map((name) => quoted(name, 'python')).join(', ') };
  const content = fillTemplate(`${language}-index`, view);
  return { path: indexPath[language], content, hash: hashOf(content) };
}

/** The name of a module within its folder. */
export function stemOf(path: string): string {
  return basename(path, extname(path));
}
