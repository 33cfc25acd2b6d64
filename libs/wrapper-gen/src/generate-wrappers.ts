import type { ToolSchema } from '@code-executor/contracts';

import { fileStems } from './file-stems.js';
import { indexFile } from './index-file.js';
import { type WrapperFile, wrapperFile } from './wrapper-file.js';
import type { WrapperForm } from './wrapper-form.js';

/**
 * The modules through which a program of its own calls the tools: one for each server, one that exports them
 * all, and one that calls. The same tools give the same files. Opens nothing, and never throws, whatever names,
 * descriptions and schemas are.
 */
export function generateWrappers(tools: readonly ToolSchema[], form: WrapperForm): WrapperFile[] {
  const servers = form.modules(tools);
  const stems = fileStems(
    servers.map(({ server }) => server),
    form.separator,
    // In Python, a module is an attribute of its package, where it must not be taken for a server of that name.
    new Set(servers.map(({ identifier }) => identifier)),
  );
  const modules = servers.map(({ server, identifier, content }) => ({
    ...wrapperFile(form, stems.get(server) ?? server, content),
    module: { server, identifier },
  }));
  return [wrapperFile(form, form.client.stem, form.client.content()), indexFile(form, modules), ...modules];
}
