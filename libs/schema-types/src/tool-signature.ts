import type { ToolSchema } from '@code-executor/contracts';

import { readSchema } from './read-schema.js';
import { oneLine } from './third-party-text.js';
import { asOneObject, readArguments } from './tool-arguments.js';
import type { ToolForm } from './tool-form.js';
import { pathOf } from './tool-name.js';
import { unknownType } from './type-node.js';
import { shortened, type TypeShape, wholeType } from './type-shape.js';

const maxOutlineChars = 60;
const flatType: TypeShape = { ...wholeType, maxDepth: 1 };
const noType: TypeShape = { maxDepth: 0, maxMembers: 1, maxProperties: 0 };
/**
 * The shapes of arguments and result, tried in order until one fits. The result is shortened first, because a call needs
 * the arguments; then nested objects of the arguments, then long unions, then parameters.
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
 * How a tool is called and what it returns, on one line of at most 400 characters by default:
 * `tools.github.createIssue(args: { owner: string; labels?: string[] }): Promise<{ number: number }>` or
 * `tools.github.create_issue(*, owner: str, labels: list[str] = ...) -> {number: int}`. A `…` replaces whatever does not
 * fit; the name is always complete. Never throws, whatever the schemas are.
 */
export function toolSignature(tool: ToolSchema, form: ToolForm, maxChars = 400): string {
  const path = pathOf(tool, form.nameStyle);
  const args = readArguments(tool.parameters);
  const result = tool.outputSchema === undefined ? unknownType : readSchema(tool.outputSchema);
  let signature = '';
  for (const [ofArgs, ofResult] of shapes) {
    signature = path + form.signature(args, result, ofArgs, ofResult);
    if (signature.length <= maxChars) break;
  }
  return signature;
}

/**
 * The names of a tool's parameters, the required ones first, in at most 60 characters:
 * `{owner, labels?}` or `(owner, labels=...)`.
 */
export function toolOutline({ parameters }: ToolSchema, { outline }: ToolForm): string {
  const { properties, rest } = asOneObject(readArguments(parameters));
  const parameterOf = outline.parametersOf(properties.keys());
  const required: string[] = [];
  const optional: string[] = [];
  for (const [property, { isRequired }] of properties) {
    const parameter = parameterOf.get(property) ?? property;
    if (isRequired) required.push(parameter);
    else optional.push(outline.optional(parameter));
  }
  const names = [...required, ...optional].map((name) => oneLine(name, maxOutlineChars));
  if (names.length === 0 && rest?.kind === 'unknown') names.push('…');
  const [open, close] = outline.brackets;
  const write = (count: number) => `${open}${shortened(names, count).join(', ')}${close}`;
  let count = Math.min(names.length, maxOutlineChars);
  while (count > 0 && write(count).length > maxOutlineChars) count--;
  return write(count);
}
