import { type ToolSchema } from '@code-executor/contracts';
import { identifierOf } from './identifier.js';
import { pythonParametersOf } from './python-parameters.js';

import { nameTools, type NamedServer, type NamedTool } from './name-tools.js';
import { restParameter } from './python-names.js';
import { keyText, PythonWriter } from './python-type.js';
import { readSchema } from './read-schema.js';
import { docString, pythonLiteral } from './third-party-text.js';
import { unknownType } from './type-node.js';
import { asOneObject, readArguments } from './tool-arguments.js';

/** One keyword parameter. */
export interface PythonParameter {
  name: string;
  type: string;
  isRequired: boolean;
  /** The name of the property on the wire, as a string literal. */
  key: string;
}

/** One tool as Python: texts that only need to be combined. */
export interface PythonTool extends NamedTool {
  /** The classes that its types need and that no earlier tool has declared; may be empty. */
  declarations: string;
  /** Keyword parameters, the required ones first. */
  parameters: PythonParameter[];
  /** The parameter for all other properties that the tool accepts; absent if it accepts no others. */
  rest?: { name: string; type: string };
  resultType: string;
  /** Its docstring, escaped, indented as the body of a function. */
  doc: string;
}

export interface PythonServer extends NamedServer {
  /** The names from the module `typing` that the declarations need, sorted. */
  typing: string[];
  tools: PythonTool[];
}

/** Every tool as Python, by server; the names that one server declares are unique. */
export function pythonTools(tools: readonly ToolSchema[]): PythonServer[] {
  return nameTools(tools, 'snake_case').map((server) => {
    const writer = new PythonWriter();
    const written = server.tools.map((tool) => pythonTool(tool, writer));
    return { ...server, tools: written, typing: [...writer.typing].sort() };
  });
}

function pythonTool(named: NamedTool, writer: PythonWriter): PythonTool {
  const { tool, typeName, summary } = named;
  const { properties, rest } = asOneObject(readArguments(tool.parameters));
  const names = pythonParametersOf(properties.keys());
  const notes: string[] = [];
  const all = [...properties].map(([key, { type, isRequired, note }]): PythonParameter => {
    const name = names.get(key) ?? key;
    if (note) notes.push(`${keyText(name)}: ${note}`);
    return {
      name,
      type: writer.use(writer.write(type, `${typeName}Args${identifierOf(key, 'PascalCase')}`)),
      isRequired,
      key: pythonLiteral(key),
    };
  });
  const more = rest && rest.kind !== 'never' ? writer.use(writer.write(rest, `${typeName}More`)) : undefined;
  const result = tool.outputSchema === undefined ? unknownType : readSchema(tool.outputSchema);
  // A function with the result type `Never` could not return at all.
  const returned = result.kind === 'never' ? unknownType : result;
  const resultType = writer.use(writer.write(returned, `${typeName}Result`));
  return {
    ...named,
    declarations: writer.takeDeclarations(),
    parameters: [...all.filter((one) => one.isRequired), ...all.filter((one) => !one.isRequired)],
    ...(more !== undefined && { rest: { name: restParameter(names), type: more } }),
    resultType,
    doc: docString(notes.length > 0 ? [summary, '', ...notes] : [summary], '    '),
  };
}
