import type { JsonValue, ToolSchema } from '@code-executor/contracts';

/** How much of an upstream text is read, because its author may make it as long as they like. */
const maxDescriptionChars = 4000;
/** How much of a name is read, and of a query that may be one. */
export const maxNameChars = 300;
const maxParameters = 100;
const maxParameterChars = 300;
const maxDepth = 4;

/** The texts of a tool that are searched, by field. */
export interface ToolText {
  name: string;
  server: string;
  title: string;
  /** The first sentence of the description. */
  summary: string;
  /** The rest of it. */
  description: string;
  parameters: string;
  parameterDescriptions: string;
}

/** The texts of a tool, each cut to its limit. */
export function toolText({
  name,
  server,
  title,
  description,
  parameters,
  annotations,
}: ToolSchema): ToolText {
  const prefix = `mcp__${server}__`;
  const text = textOf(description, maxDescriptionChars).trim();
  const summary = firstSentence(text);
  const found: ParameterText = { names: [], descriptions: [] };
  collectParameters(parameters as JsonValue, 0, found);
  return {
    name: (name.startsWith(prefix) ? name.slice(prefix.length) : name).slice(0, maxNameChars),
    server: server.slice(0, maxNameChars),
    title: textOf(title ?? annotations?.title, maxNameChars),
    summary,
    description: text.slice(summary.length),
    parameters: found.names.join(' ').slice(0, maxDescriptionChars),
    parameterDescriptions: found.descriptions.join(' ').slice(0, maxDescriptionChars),
  };
}

/** The text before the first line break or the first full stop that ends a sentence. */
export function firstSentence(text: string): string {
  const end = /[.!?](?=\s)|\n/u.exec(text);
  return end ? text.slice(0, end.index + 1) : text;
}

interface ParameterText {
  names: string[];
  descriptions: string[];
}

/** Follows properties and items, but not references, because these may be circular. */
function collectParameters(schema: JsonValue | undefined, depth: number, found: ParameterText): void {
  if (depth > maxDepth || !isRecord(schema)) return;
  if (depth > 0) found.descriptions.push(textOf(schema['description'], maxParameterChars));
  collectParameters(schema['items'], depth + 1, found);
  const { properties } = schema;
  if (!isRecord(properties)) return;
  for (const name of Object.keys(properties)) {
    if (found.names.length >= maxParameters) return;
    found.names.push(name.slice(0, maxNameChars));
    collectParameters(properties[name], depth + 1, found);
  }
}

function isRecord(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Upstream servers may send values of other types. */
function textOf(value: unknown, maxChars: number): string {
  return typeof value === 'string' ? value.slice(0, maxChars) : '';
}
