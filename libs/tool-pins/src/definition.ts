import { createHash } from 'node:crypto';

import { type JsonSchema, printable, sortedJson, type ToolSchema } from '@code-executor/contracts';

/** The parts of a tool's definition that programs and models rely on. */
export const definitionParts = ['title', 'description', 'parameters', 'outputSchema', 'annotations'] as const;
export type DefinitionPart = (typeof definitionParts)[number];

/**
 * The definition of a tool: a hash that decides whether it is the same, and enough of its content to say what is
 * different. The content is shortened and printable, because it comes from an upstream server.
 */
export interface ToolDefinition {
  /** SHA-256 of everything, in hexadecimal. */
  hash: string;
  /** The beginning of the SHA-256 of each part that the tool has. */
  parts: { [Part in DefinitionPart]?: string };
  title?: string;
  description?: string;
  annotations?: string;
  /** The beginning of the SHA-256 of each parameter's schema, by its name. */
  parameters?: Record<string, string>;
}

/** Longest texts that a definition keeps. */
const keptChars = { title: 200, description: 1000, annotations: 300, name: 60 };
const maxKeptParameters = 64;
/** Digits of a hash that only explains. */
const shortHash = 16;

/** Only what decides: cheaper than the whole definition. */
export function definitionHash(tool: ToolSchema): string {
  const { title, description, parameters, outputSchema, annotations } = tool;
  return sha256({ title, description, parameters, outputSchema, annotations });
}

export function definitionOf(tool: ToolSchema): ToolDefinition {
  const definition: ToolDefinition = { hash: definitionHash(tool), parts: {} };
  for (const part of definitionParts) {
    if (tool[part] !== undefined) definition.parts[part] = sha256(tool[part]).slice(0, shortHash);
  }
  const { title, description, annotations, parameters } = tool;
  if (title !== undefined) definition.title = kept(title, keptChars.title);
  if (description !== undefined) definition.description = kept(description, keptChars.description);
  if (annotations) definition.annotations = kept(sortedJson(annotations), keptChars.annotations);
  const hashes = parameterHashes(parameters);
  if (hashes) definition.parameters = hashes;
  return definition;
}

/** The definition without what only explains a change, which needs most of the room. */
export function hashesOf({ hash, parts }: ToolDefinition): ToolDefinition {
  return { hash, parts };
}

/** Undefined if there are too many parameters to name them. */
function parameterHashes({ properties }: JsonSchema): Record<string, string> | undefined {
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) return undefined;
  const entries = Object.entries(properties);
  if (entries.length > maxKeptParameters) return undefined;
  const named = entries.map(([name, schema]) => [
    kept(name, keptChars.name),
    sha256(schema).slice(0, shortHash),
  ]);
  return Object.fromEntries(named) as Record<string, string>;
}

function kept(text: string, maxChars: number): string {
  // Half of a surrogate pair could not be written as UTF-8.
  return Buffer.from(printable(text.slice(0, maxChars))).toString();
}

function sha256(value: unknown): string {
  return createHash('sha256').update(sortedJson(value)).digest('hex');
}
