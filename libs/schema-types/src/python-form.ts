import { type ToolSchema } from '@code-executor/contracts';
import { pythonParametersOf } from './python-parameters.js';

import { restParameter } from './python-names.js';
import { type PythonTool, pythonTools } from './python-tool.js';
import { shortPythonType } from './python-type.js';
import { pythonLiteral } from './third-party-text.js';
import { asOneObject } from './tool-arguments.js';
import type { ToolForm } from './tool-form.js';
import type { TypeNode } from './type-node.js';
import { shortened, type TypeShape } from './type-shape.js';

/** Python: `tools.github.create_issue(*, title: str) -> {number: int}`. */
export const pythonForm: ToolForm = {
  nameStyle: 'snake_case',
  quoted: pythonLiteral,
  outline: {
    brackets: ['(', ')'],
    parametersOf: pythonParametersOf,
    optional: (parameter) => `${parameter}=...`,
  },
  signature,
  types,
};

function signature(args: TypeNode, result: TypeNode, argsShape: TypeShape, resultShape: TypeShape): string {
  const { properties, rest } = asOneObject(args);
  const names = pythonParametersOf(properties.keys());
  const required: string[] = [];
  const optional: string[] = [];
  for (const [key, { type, isRequired }] of properties) {
    const text = `${names.get(key) ?? key}: ${shortPythonType(type, argsShape, 1)}`;
    if (isRequired) required.push(text);
    else optional.push(`${text} = ...`);
  }
  const parameters = shortened([...required, ...optional], argsShape.maxProperties);
  if (parameters.length > 0) parameters.unshift('*');
  if (rest && rest.kind !== 'never')
    parameters.push(`**${restParameter(names)}: ${shortPythonType(rest, argsShape, 1)}`);
  return `(${parameters.join(', ')}) -> ${shortPythonType(result, resultShape)}`;
}

function types(tools: readonly ToolSchema[]): string {
  return pythonTools(tools)
    .map(({ identifier, tools: declared }) => {
      const parts = declared.map((tool) =>
        [tool.declarations, functionText(tool)].filter(Boolean).join('\n\n'),
      );
      return `# Called as tools.${identifier}.<name>(...)\n\n${parts.join('\n\n')}\n`;
    })
    .join('\n');
}

function functionText({ identifier, parameters, rest, resultType, doc }: PythonTool): string {
  const list = parameters.map(
    ({ name, type, isRequired }) => `${name}: ${type}${isRequired ? '' : ' = ...'}`,
  );
  if (list.length > 0) list.unshift('*');
  if (rest) list.push(`**${rest.name}: ${rest.type}`);
  return `def ${identifier}(${list.join(', ')}) -> ${resultType}:\n${doc}`;
}
