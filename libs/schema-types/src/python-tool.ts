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
  /** The property that it becomes on the wire, as a string literal. */
  key: string;
}

/** One tool as Python: texts that only have to be put together. */
export interface PythonTool extends NamedTool {
  /** The classes that its types need, and no tool before it has declared; may be empty. */
  declarations: string;
  /** Keyword parameters, the required ones first. */
  parameters: PythonParameter[];
  /** Parameter that takes whatever else the tool may accept; absent if it takes nothing else. */
  rest?: { name: string; type: string };
  resultType: string;
  /** Its docstring, escaped, indented as the body of a function. */
  doc: string;
}

export interface PythonServer extends NamedServer {
  /** What the declarations need of the module `typing`, sorted. */
  typing: string[];
  tools: PythonTool[];
}

/** Every tool as Python, by server; what one server declares is unlike in name. */
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
  // A function that returns `Never` could not return at all, whatever the server says of it.
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
