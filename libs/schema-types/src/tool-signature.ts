import { pythonParametersOf, type ToolSchema } from '@code-executor/contracts';

import { restParameter } from './python-names.js';
import { shortPythonType } from './python-type.js';
import { readSchema } from './read-schema.js';
import { asOneObject, needsNothing, readArguments } from './tool-arguments.js';
import type { ToolLanguage } from './tool-language.js';
import { pathOf } from './tool-name.js';
import { type TypeNode, unknownType } from './type-node.js';
import { shortened, type TypeShape, wholeType } from './type-shape.js';
import { TypeScriptWriter } from './typescript-type.js';

const maxSignatureChars = 400;
/** Tried in turn until one fits: nested objects go first, then long lists of alternatives, then parameters. */
const shapes: readonly TypeShape[] = [
  wholeType,
  { ...wholeType, maxDepth: 2 },
  { ...wholeType, maxDepth: 1 },
  { maxDepth: 1, maxMembers: 4, maxProperties: 16 },
  { maxDepth: 1, maxMembers: 2, maxProperties: 8 },
  { maxDepth: 1, maxMembers: 2, maxProperties: 3 },
  { maxDepth: 0, maxMembers: 1, maxProperties: 0 },
];

/**
 * How a tool is called and what it returns, on one line of at most 400 characters:
 * `tools.github.createIssue(args: { owner: string; labels?: string[] }): Promise<{ number: number }>` or
 * `tools.github.create_issue(*, owner: str, labels: list[str] = ...) -> {number: int}`. A `…` stands for what
 * does not fit. Never throws, whatever the schemas are.
 */
export function toolSignature(tool: ToolSchema, language: ToolLanguage): string {
  const path = pathOf(tool, language);
  const args = readArguments(tool.parameters);
  const result = tool.outputSchema === undefined ? unknownType : readSchema(tool.outputSchema);
  const write = language === 'typescript' ? typeScriptSignature : pythonSignature;
  let signature = '';
  for (const shape of shapes) {
    signature = path + write(args, result, shape);
    if (signature.length <= maxSignatureChars) break;
  }
  return signature;
}

function typeScriptSignature(args: TypeNode, result: TypeNode, shape: TypeShape): string {
  const type = new TypeScriptWriter(shape).write(args);
  const returned = new TypeScriptWriter(shape).write(result);
  const isEmpty = args.kind === 'object' && args.properties.size === 0 && args.rest?.kind !== 'unknown';
  const parameter = isEmpty ? '' : `args${needsNothing(args) ? '?' : ''}: ${type}`;
  return `(${parameter}): Promise<${returned}>`;
}

function pythonSignature(args: TypeNode, result: TypeNode, shape: TypeShape): string {
  const { properties, rest } = asOneObject(args);
  const names = pythonParametersOf(properties.keys());
  const required: string[] = [];
  const optional: string[] = [];
  for (const [key, { type, isRequired }] of properties) {
    const text = `${names.get(key) ?? key}: ${shortPythonType(type, shape, 1)}`;
    if (isRequired) required.push(text);
    else optional.push(`${text} = ...`);
  }
  const parameters = shortened([...required, ...optional], shape.maxProperties);
  if (parameters.length > 0) parameters.unshift('*');
  if (rest && rest.kind !== 'never')
    parameters.push(`**${restParameter(names)}: ${shortPythonType(rest, shape, 1)}`);
  return `(${parameters.join(', ')}) -> ${shortPythonType(result, shape)}`;
}
