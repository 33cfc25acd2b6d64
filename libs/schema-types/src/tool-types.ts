import type { ToolSchema } from '@code-executor/contracts';

import { pythonTools, type PythonTool } from './python-tool.js';
import type { ToolLanguage } from './tool-language.js';
import { typeScriptTools } from './typescript-tool.js';

/**
 * The declarations of tools as text for an agent to read: what `tools.<server>.<tool>` takes and returns, with the
 * servers' descriptions, shortened and marked as theirs. It is legal TypeScript or Python. Never throws.
 */
export function toolTypes(tools: readonly ToolSchema[], language: ToolLanguage): string {
  return language === 'typescript' ? typeScriptTypes(tools) : pythonTypes(tools);
}

function typeScriptTypes(tools: readonly ToolSchema[]): string {
  const indent = '  ';
  return typeScriptTools(tools, { declarations: indent, doc: indent })
    .map(({ identifier, tools: declared }) => {
      const parts = declared.map((tool) =>
        [
          ...tool.declarations.map((text) => indent + text),
          tool.doc,
          `${indent}function ${tool.identifier}(args${tool.isArgsOptional ? '?' : ''}: ${tool.argsType}): Promise<${tool.resultType}>;`,
        ].join('\n'),
      );
      return `declare namespace tools.${identifier} {\n${parts.join('\n\n')}\n}\n`;
    })
    .join('\n');
}

function pythonTypes(tools: readonly ToolSchema[]): string {
  return pythonTools(tools)
    .map(({ identifier, tools: declared }) => {
      const parts = declared.map((tool) =>
        [tool.declarations, pythonFunction(tool)].filter(Boolean).join('\n\n'),
      );
      return `# Called as tools.${identifier}.<name>(...)\n\n${parts.join('\n\n')}\n`;
    })
    .join('\n');
}

function pythonFunction({ identifier, parameters, rest, resultType, doc }: PythonTool): string {
  const list = parameters.map(
    ({ name, type, isRequired }) => `${name}: ${type}${isRequired ? '' : ' = ...'}`,
  );
  if (list.length > 0) list.unshift('*');
  if (rest) list.push(`**${rest.name}: ${rest.type}`);
  return `def ${identifier}(${list.join(', ')}) -> ${resultType}:\n${doc}`;
}
