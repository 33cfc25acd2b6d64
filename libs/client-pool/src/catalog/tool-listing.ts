import { type Logger, type ToolAnnotations, type ToolSchema } from '@code-executor/contracts';
import { meterJson } from '@code-executor/pipes';

import { ConnectFailure } from '../connection/connect-failure.js';
import type { ProtocolVerdict } from '../connection/protocol-verdict.js';
import { isRecord } from '../json-record.js';
import { costLimit, maxMessageCost } from '../transport/message-limits.js';
import { toolName } from './tool-names.js';

const maxPages = 64;
const maxTools = 10_000;
const maxListChars = 16 * 1024 * 1024;
/** Longest name that programs use, `mcp__<server>__<tool>`; the policy refuses longer ones. */
const maxNameChars = 256;
const controlCharacters = /\p{Cc}+/gu;
/** MCP allows letters, digits and `_-./`; every name without control characters can be handled. */
const usableName = /^\P{Cc}+$/u;
/** How many of the tools that are left out the log names, and how many characters of each name. */
const maxNamesLogged = 20;
const maxCharsLogged = 100;
const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** What a server answers when it is asked for its tools. */
export interface ListedTools {
  tools: ReadonlyMap<string, ToolSchema>;
  /** For how long the list holds, as the server says. */
  ttlMs?: number;
  /** Which protocol it spoke. */
  protocol?: ProtocolVerdict;
}

/** Asks a server for one page of `tools/list`. */
export type RequestPage = (cursor: string | undefined) => Promise<Record<string, unknown>>;

/**
 * All tools of a server by their own names. Entries that are not tools are left out with a warning; a
 * list beyond the limits is a `ConnectFailure`, because a part of it would be mistaken for the whole.
 */
export async function listAllTools(
  server: string,
  requestPage: RequestPage,
  logger: Logger,
): Promise<Map<string, ToolSchema>> {
  const tools = new Map<string, ToolSchema>();
  let cursor: string | undefined;
  const size = new ListSize();
  let skipped = 0;
  const skippedNames: string[] = [];
  for (let page = 1; ; page += 1) {
    const { tools: entries, nextCursor } = await requestPage(cursor);
    if (!Array.isArray(entries)) throw tooMuch(server, 'its tool list holds no tools array');
    for (const entry of entries as unknown[]) {
      if (!size.fits(entry))
        throw tooMuch(server, `its tool list is larger than 16 MB, or than ${costLimit}`);
      const tool = isRecord(entry) ? toToolSchema(server, entry) : undefined;
      if (tool && !tools.has(tool.ownName)) tools.set(tool.ownName, tool.schema);
      else {
        skipped += 1;
        if (skipped <= maxNamesLogged) skippedNames.push(shownName(entry));
      }
      if (tools.size > maxTools) throw tooMuch(server, `it lists more than ${maxTools} tools`);
    }
    if (typeof nextCursor !== 'string' || nextCursor === '') break;
    if (page === maxPages) throw tooMuch(server, `its tool list has more than ${maxPages} pages`);
    cursor = nextCursor;
  }
  if (skipped > 0) {
    const what = 'tools without a usable or unique name and schema were left out';
    logger.warn({ server, skipped, names: skippedNames }, what);
  }
  return tools;
}

/**
 * The tools of a list that was stored as {@link toEntry} makes it; undefined if any of it is not what a server may
 * send, because the store may have been changed.
 */
export function toolsFrom(server: string, entries: unknown): Map<string, ToolSchema> | undefined {
  if (!Array.isArray(entries) || entries.length > maxTools) return undefined;
  const tools = new Map<string, ToolSchema>();
  const size = new ListSize();
  for (const entry of entries as unknown[]) {
    const tool = isRecord(entry) ? toToolSchema(server, entry) : undefined;
    if (!tool || tools.has(tool.ownName) || !size.fits(entry)) return undefined;
    tools.set(tool.ownName, tool.schema);
  }
  return tools;
}

/** A tool as a server lists it. */
export function toEntry([name, schema]: [ownName: string, schema: ToolSchema]): Record<string, unknown> {
  const { parameters, title, description, outputSchema, annotations } = schema;
  return { name, title, description, inputSchema: parameters, outputSchema, annotations };
}

/** The size of a list, as text and in memory. */
class ListSize {
  #chars = 0;
  #cost = 0;

  /** Counts an entry; false if that makes the list too large. */
  fits(entry: unknown): boolean {
    let text: string;
    try {
      text = JSON.stringify(entry);
    } catch {
      // It is nested too deep to be written as JSON.
      return false;
    }
    this.#chars += text.length;
    this.#cost += meterJson(text).cost;
    return this.#chars <= maxListChars && this.#cost <= maxMessageCost;
  }
}

function shownName(entry: unknown): string {
  const name = isRecord(entry) ? entry['name'] : undefined;
  if (typeof name !== 'string' || name === '') return '(no name)';
  const shown = name.slice(0, maxCharsLogged).replace(controlCharacters, '�');
  return name.length > maxCharsLogged ? `${shown}…` : shown;
}

function toToolSchema(
  server: string,
  entry: Record<string, unknown>,
): { ownName: string; schema: ToolSchema } | undefined {
  const { name, title, description, inputSchema, outputSchema, annotations } = entry;
  if (typeof name !== 'string' || !usableName.test(name) || !isRecord(inputSchema)) return undefined;
  const fullName = toolName(server, name);
  if (fullName.length > maxNameChars) return undefined;
  const schema: ToolSchema = { name: fullName, server, parameters: inputSchema };
  if (typeof title === 'string') schema.title = title;
  if (typeof description === 'string') schema.description = description;
  if (isRecord(outputSchema)) schema.outputSchema = outputSchema;
  if (isRecord(annotations)) schema.annotations = toAnnotations(annotations);
  return { ownName: name, schema };
}

function toAnnotations(raw: Record<string, unknown>): ToolAnnotations {
  const annotations: ToolAnnotations = {};
  if (typeof raw['title'] === 'string') annotations.title = raw['title'];
  for (const hint of hints) {
    const value = raw[hint];
    if (typeof value === 'boolean') annotations[hint] = value;
  }
  return annotations;
}

function tooMuch(server: string, reason: string): ConnectFailure {
  return new ConnectFailure(server, reason, 'Configure the server to offer fewer tools, or remove it.');
}
