import { type ToolName, type ToolSchema } from '@code-executor/contracts';
import { identifiersOf } from './identifier.js';
import { type IdentifierStyle } from './identifier.js';

import { ownNameOf } from './tool-name.js';
import { oneLine } from './third-party-text.js';

/** The tools of one server, with names that are valid and unique. */
export interface NamedServer {
  /** Its configured name. */
  server: string;
  /** Its name in code. */
  identifier: string;
  tools: NamedTool[];
}

export interface NamedTool {
  tool: ToolSchema;
  /** The name on the wire. */
  name: ToolName;
  /** What code calls it. */
  identifier: string;
  /** What its types are called, without the ending: `CreateIssue`. */
  typeName: string;
  /** What the server says about it, marked as such, on one line; not escaped yet. */
  summary: string;
}

/** The tools by server, in the order of their names, each once. */
export function nameTools(tools: readonly ToolSchema[], style: IdentifierStyle): NamedServer[] {
  const servers = new Map<string, Map<string, ToolSchema>>();
  for (const tool of tools) {
    const known = servers.get(tool.server) ?? new Map<string, ToolSchema>();
    servers.set(tool.server, known.set(ownNameOf(tool), tool));
  }
  const identifiers = identifiersOf(servers.keys(), style);
  return sorted(servers).map(([server, known]) => {
    const names = identifiersOf(known.keys(), style);
    const typeNames = identifiersOf(known.keys(), 'PascalCase');
    return {
      server,
      identifier: identifiers.get(server) ?? server,
      tools: sorted(known).map(([own, tool]) => ({
        tool,
        name: tool.name,
        identifier: names.get(own) ?? own,
        typeName: typeNames.get(own) ?? own,
        summary: summaryOf(tool),
      })),
    };
  });
}

function summaryOf({ server, description, title }: ToolSchema): string {
  const text = oneLine(description) || oneLine(title);
  const from = `From the server "${oneLine(server, 80)}"`;
  return text ? `${from}: ${text}` : `${from}, which says nothing about it.`;
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
