import type { ToolSchema } from '@code-executor/contracts';
import { pythonForm, type PythonServer, pythonTools } from '@code-executor/schema-types';

import { commentText } from './comment-text.js';
import { fillTemplate } from './templates.js';
import type { WrapperForm } from './wrapper-form.js';

/** Python modules: `from wrappers.python import github`. */
export const pythonWrappers: WrapperForm = {
  folder: 'python',
  extension: '.py',
  separator: '_',
  client: { stem: '_client', content: () => fillTemplate('python-client', {}) },
  index: {
    stem: '__init__',
    content(servers) {
      const names = ['McpToolError', 'ToolNotAllowedError', ...servers.map(({ identifier }) => identifier)];
      return fillTemplate('python-index', { servers, names: listOf(names) });
    },
  },
  modules: (tools: readonly ToolSchema[]) =>
    pythonTools(tools).map((server) => ({
      ...server,
      content: fillTemplate('python-server', viewOf(server)),
    })),
};

function viewOf({ server, tools, typing }: PythonServer): object {
  return {
    server: commentText(server),
    typing: typing.join(', '),
    hasOptional: tools.some(({ parameters }) => parameters.some(({ isRequired }) => !isRequired)),
    names: listOf(tools.map(({ identifier }) => identifier)),
    tools: tools.map((tool) => {
      const { parameters, rest } = tool;
      const lines = parameters.map(
        ({ name, type, isRequired }) => `${name}: ${type}${isRequired ? '' : ' = _OMITTED'}`,
      );
      if (lines.length > 0) lines.unshift('*');
      if (rest) lines.push(`**${rest.name}: ${rest.type}`);
      const entries = parameters.map(({ key, name }) => `${key}: ${name}`);
      if (rest) entries.push(`**${rest.name}`);
      return { ...tool, name: pythonForm.quoted(tool.name), lines, params: `{${entries.join(', ')}}` };
    }),
  };
}

function listOf(names: readonly string[]): string {
  return names.map((name) => pythonForm.quoted(name)).join(', ');
}
