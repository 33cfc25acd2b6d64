import type { ToolSchema } from '@code-executor/contracts';
import { typeScriptForm, type TypeScriptServer, typeScriptTools } from '@code-executor/schema-types';

import { commentText } from './comment-text.js';
import { fillTemplate } from './templates.js';
import type { WrapperForm } from './wrapper-form.js';

/** TypeScript modules: `import { github } from './wrappers/typescript/index.js'`. */
export const typeScriptWrappers: WrapperForm = {
  folder: 'typescript',
  extension: '.ts',
  separator: '-',
  client: { stem: 'client', content: () => fillTemplate('typescript-client', {}) },
  index: { stem: 'index', content: (servers) => fillTemplate('typescript-index', { servers }) },
  modules: (tools: readonly ToolSchema[]) =>
    typeScriptTools(tools, { declarations: '', doc: '  ' }).map((server) => ({
      ...server,
      content: fillTemplate('typescript-server', viewOf(server)),
    })),
};

function viewOf({ server, identifier, tools }: TypeScriptServer): object {
  return {
    server: commentText(server),
    identifier,
    declarations: tools.flatMap((tool) => tool.declarations),
    tools: tools.map((tool) => ({
      ...tool,
      name: typeScriptForm.quoted(tool.name),
      isTyped: tool.resultType !== 'unknown',
    })),
  };
}
