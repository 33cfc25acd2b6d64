import type { ToolSchema } from '@code-executor/contracts';

import { nameTools, type NamedServer, type NamedTool } from './name-tools.js';
import { readSchema } from './read-schema.js';
import { docComment } from './third-party-text.js';
import { needsNothing, readArguments } from './tool-arguments.js';
import { wholeType } from './type-shape.js';
import type { TypeNode } from './type-node.js';
import { TypeScriptWriter } from './typescript-type.js';

/** One tool as TypeScript: texts that only need to be combined. */
export interface TypeScriptTool extends NamedTool {
  /** Its comment, escaped. */
  doc: string;
  /** The `interface` or `type` declarations of arguments and result, each on separate lines. */
  declarations: string[];
  argsType: string;
  /** Whether a call without arguments is valid. */
  isArgsOptional: boolean;
  resultType: string;
}

export interface TypeScriptServer extends NamedServer {
  tools: TypeScriptTool[];
}

/** The indentation of each line of the texts. */
export interface TypeScriptIndents {
  declarations: string;
  doc: string;
}

/** Every tool as TypeScript, by server. */
export function typeScriptTools(
  tools: readonly ToolSchema[],
  indents: TypeScriptIndents,
): TypeScriptServer[] {
  return nameTools(tools, 'camelCase').map((server) => ({
    ...server,
    tools: server.tools.map((tool) => typeScriptTool(tool, indents)),
  }));
}

function typeScriptTool(named: NamedTool, indents: TypeScriptIndents): TypeScriptTool {
  const { tool, typeName, summary } = named;
  const args = readArguments(tool.parameters);
  const declarations = [declared(`${typeName}Args`, args, indents.declarations)];
  const hasResult = tool.outputSchema !== undefined;
  if (hasResult)
    declarations.push(declared(`${typeName}Result`, readSchema(tool.outputSchema), indents.declarations));
  return {
    ...named,
    doc: docComment([summary], indents.doc),
    declarations,
    argsType: `${typeName}Args`,
    isArgsOptional: needsNothing(args),
    resultType: hasResult ? `${typeName}Result` : 'unknown',
  };
}

function declared(name: string, type: TypeNode, indent: string): string {
  const text = new TypeScriptWriter(wholeType, true).write(type, indent);
  return text.startsWith('{') && type.kind === 'object'
    ? `interface ${name} ${text}`
    : `type ${name} = ${text};`;
}
