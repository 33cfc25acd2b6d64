import type { ToolSchema } from '@code-executor/contracts';

import { fileStems } from './file-stems.js';
import { indexFile } from './index-file.js';
import { type WrapperFile, wrapperFile } from './wrapper-file.js';
import type { WrapperForm } from './wrapper-form.js';

/**
 * Generates the modules through which other programs call the tools: one for each server, an index that exports them
 * all, and a client that makes the calls. The same tools result in the same files. Performs no I/O, and never throws,
 * whatever names, descriptions and schemas are.
 */
export function generateWrappers(tools: readonly ToolSchema[], form: WrapperForm): WrapperFile[] {
  const servers = form.modules(tools);
  const stems = fileStems(
    servers.map(({ server }) => server),
    form.separator,
    // In Python, a module is an attribute of its package, where it must not collide with a server of that name.
    new Set(servers.map(({ identifier }) => identifier)),
  );
  const modules = servers.map(({ server, identifier, content }) => ({
    ...wrapperFile(form, stems.get(server) ?? server, content),
    module: { server, identifier },
  }));
  return [wrapperFile(form, form.client.stem, form.client.content()), indexFile(form, modules), ...modules];
}
