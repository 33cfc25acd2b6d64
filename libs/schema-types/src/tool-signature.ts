import { pythonParametersOf, type ToolSchema } from '@code-executor/contracts';

import { restParameter } from './python-names.js';
import { shortPythonType } from './python-type.js';
import { readSchema } from './read-schema.js';
import { oneLine } from './third-party-text.js';
import { asOneObject, needsNothing, readArguments } from './tool-arguments.js';
import type { ToolLanguage } from './tool-language.js';
import { pathOf } from './tool-name.js';
import { type TypeNode, unknownType } from './type-node.js';
import { shortened, type TypeShape, wholeType } from './type-shape.js';
import { TypeScriptWriter } from './typescript-type.js';

const maxOutlineChars = 60;
const flatType: TypeShape = { ...wholeType, maxDepth: 1 };
const noType: TypeShape = { maxDepth: 0, maxMembers: 1, maxProperties: 0 };
/**
 * Of arguments and result, tried in turn until one fits: the result goes first, for a call cannot do without its
 * arguments; of these nested objects, then long lists of alternatives, then parameters.
 */
const shapes: readonly [args: TypeShape, result: TypeShape][] = [
  [wholeType, wholeType],
  [wholeType, flatType],
  [wholeType, noType],
  [{ ...wholeType, maxDepth: 2 }, noType],
  [flatType, noType],
  [{ maxDepth: 1, maxMembers: 4, maxProperties: 16 }, noType],
  [{ maxDepth: 1, maxMembers: 2, maxProperties: 8 }, noType],
  [{ maxDepth: 1, maxMembers: 2, maxProperties: 3 }, noType],
  [noType, noType],
];

/**
 * How a tool is called and what it returns, on one line, of at most 400 characters unless told otherwise:
 * `tools.github.createIssue(args: { owner: string; labels?: string[] }): Promise<{ number: number }>` or
 * `tools.github.create_issue(*, owner: str, labels: list[str] = ...) -> {number: int}`. A `…` stands for what
 * does not fit; the name is always there. Never throws, whatever the schemas are.
 */
export function toolSignature(tool: ToolSchema, language: ToolLanguage, maxChars = 400): string {
  const path = pathOf(tool, language);
  const args = readArguments(tool.parameters);
  const result = tool.outputSchema === undefined ? unknownType : readSchema(tool.outputSchema);
  const write = language === 'typescript' ? typeScriptSignature : pythonSignature;
  let signature = '';
  for (const [ofArgs, ofResult] of shapes) {
    signature = path + write(args, result, ofArgs, ofResult);
    if (signature.length <= maxChars) break;
  }
  return signature;
}

/**
 * The names of a tool's parameters, those first that a call cannot do without, in at most 60 characters:
 * `{owner, labels?}` or `(owner, labels=...)`.
 */
export function toolOutline({ parameters }: ToolSchema, language: ToolLanguage): string {
  const { properties, rest } = asOneObject(readArguments(parameters));
  const names = language === 'python' ? pythonParametersOf(properties.keys()) : undefined;
  const isRequired = (required: boolean) => (name: string) => properties.get(name)?.isRequired === required;
  const keys = [...properties.keys()];
  const ordered = [
    ...keys.filter(isRequired(true)).map((key) => names?.get(key) ?? key),
    ...keys.filter(isRequired(false)).map((key) => (names ? `${names.get(key) ?? key}=...` : `${key}?`)),
  ].map((name) => oneLine(name, maxOutlineChars));
  if (ordered.length === 0 && rest?.kind === 'unknown') ordered.push('…');
  const [open, close] = names ? '()' : '{}';
  const write = (count: number) => `${open}${shortened(ordered, count).join(', ')}${close}`;
  let count = Math.min(ordered.length, maxOutlineChars);
  while (count > 0 && write(count).length > maxOutlineChars) count--;
  return write(count);
}

function typeScriptSignature(
  args: TypeNode,
  result: TypeNode,
  ofArgs: TypeShape,
  ofResult: TypeShape,
): string {
  const type = new TypeScriptWriter(ofArgs).write(args);
  const returned = new TypeScriptWriter(ofResult).write(result);
  const isEmpty = args.kind === 'object' && args.properties.size === 0 && args.rest?.kind !== 'unknown';
  const parameter = isEmpty ? '' : `args${needsNothing(args) ? '?' : ''}: ${type}`;
  return `(${parameter}): Promise<${returned}>`;
}

function pythonSignature(args: TypeNode, result: TypeNode, shape: TypeShape, ofResult: TypeShape): string {
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
  return `(${parameters.join(', ')}) -> ${shortPythonType(result, ofResult)}`;
}
