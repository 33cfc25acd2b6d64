import type { ToolSchema } from '@code-executor/contracts';

import { typeScriptLiteral } from './third-party-text.js';
import { needsNothing } from './tool-arguments.js';
import type { ToolForm } from './tool-form.js';
import type { TypeNode } from './type-node.js';
import type { TypeShape } from './type-shape.js';
import { typeScriptTools } from './typescript-tool.js';
import { TypeScriptWriter } from './typescript-type.js';

/** TypeScript: `tools.github.createIssue(args: { title: string }): Promise<{ number: number }>`. */
export const typeScriptForm: ToolForm = {
  nameStyle: 'camelCase',
  quoted: typeScriptLiteral,
  outline: {
    brackets: ['{', '}'],
    parametersOf: (properties) => new Map([...properties].map((name) => [name, name])),
    optional: (parameter) => `${parameter}?`,
  },
  signature,
  types,
};

function signature(args: TypeNode, result: TypeNode, argsShape: TypeShape, resultShape: TypeShape): string {
  const type = new TypeScriptWriter(argsShape).write(args);
  const returned = new TypeScriptWriter(resultShape).write(result);
  const isEmpty = args.kind === 'object' && args.properties.size === 0 && args.rest?.kind !== 'unknown';
  const parameter = isEmpty ? '' : `args${needsNothing(args) ? '?' : ''}: ${type}`;
  return `(${parameter}): Promise<${returned}>`;
}

function types(tools: readonly ToolSchema[]): string {
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
