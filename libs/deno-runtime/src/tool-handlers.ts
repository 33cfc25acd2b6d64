import {
  CodeExecutorError,
  type JsonObject,
  type ListDetail,
  plainContent,
  type ToolHit,
  type ToolName,
  type ToolResult,
  type ToolSource,
} from '@code-executor/contracts';

import { withOwnNames } from './argument-names.js';
import { type HostCallHandler, ResultText, ToolFailure } from './host-calls.js';
import { JsonList } from './json-list.js';
import { pathNamesHandler } from './path-names.js';
import { ToolPaths } from './tool-paths.js';

/** Longest text of a failed tool that becomes the message of an exception. */
const maxErrorChars = 4000;
const maxShownNameChars = 200;
const maxQueryChars = 1000;
const maxTypes = 100;
/** Those that programs may ask for. */
const details: readonly ListDetail[] = ['names', 'brief', 'signatures', 'types', 'full'];

/** The verbs of a `ToolSource`, as sandboxed code asks for them. */
export function toolHandlers(tools: ToolSource<ToolHit>): [method: string, handler: HostCallHandler][] {
  const paths = new ToolPaths(tools);
  return [
    ['callTool', (params, signal) => callTool(tools, paths, params, signal)],
    ['listTools', (params, signal) => listTools(tools, params, signal)],
    ['pathNames', pathNamesHandler(tools)],
    ['toolTypes', (params, signal) => toolTypes(tools, params, signal)],
  ];
}

async function callTool(
  tools: ToolSource<ToolHit>,
  paths: ToolPaths,
  { args: given, raw, hasKeywords, ...target }: JsonObject,
  signal: AbortSignal,
): Promise<unknown> {
  const { name, found } = await findTarget(target, paths, signal);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const shown = name.slice(0, maxShownNameChars);
    const { signature } = (await tools.listTools({ name, detail: 'signatures', signal })).tools[0] ?? {};
    const advice = signature === undefined ? '' : ` Its signature is ${signature}`;
    throw invalid(`The arguments of ${shown} must be one object.${advice}`, shown);
  }
  const args = found && hasKeywords === true ? withOwnNames(given, found) : given;
  const result = await tools.callTool(name, args, { signal });
  if (raw === true) return result;
  if (result.isError) throw new ToolFailure(errorText(result), name, await serverOf(tools, name, signal));
  const plain = plainContent(result);
  return typeof plain === 'string' ? new ResultText(plain) : plain;
}

/** What is called: by `name`, or found by `server` and `tool`. */
async function findTarget(
  { name, server, tool }: JsonObject,
  paths: ToolPaths,
  signal: AbortSignal,
): Promise<{ name: ToolName; found?: ToolHit }> {
  if (typeof name === 'string') return { name: name as ToolName };
  if (typeof server !== 'string' || typeof tool !== 'string') {
    throw invalid('callMCPTool takes the name of a tool as a string.');
  }
  const found = await paths.find({ server, tool }, signal);
  // Where there is no such tool, the call says so, and which there are.
  return found ? { name: found.name, found } : { name: `mcp__${server}__${tool}` };
}

function errorText(result: ToolResult): string {
  const texts = result.content.flatMap((block) => (typeof block['text'] === 'string' ? [block['text']] : []));
  const text = texts.join('\n').trim();
  return text ? text.slice(0, maxErrorChars) : 'The tool failed and gave no reason.';
}

/** The listing is at hand once a tool has answered. */
async function serverOf(
  tools: ToolSource<ToolHit>,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { tools: found } = await tools.listTools({ name, detail: 'schemas', signal });
  return found[0]?.server;
}

async function listTools(
  tools: ToolSource<ToolHit>,
  { query, server, name, detail, limit, offset }: JsonObject,
  signal: AbortSignal,
): Promise<unknown> {
  if (limit !== undefined && !isCount(limit, 1))
    throw invalid('The limit of a search is a whole number from 1.');
  if (offset !== undefined && !isCount(offset, 0)) {
    throw invalid('The offset of a search is a whole number from 0.');
  }
  if (detail !== undefined && !isDetail(detail)) {
    throw invalid('The detail of a search is "names", "brief", "signatures", "types" or "full".');
  }
  const listing = await tools.listTools({
    signal,
    ...(typeof query === 'string' && { query: query.slice(0, maxQueryChars) }),
    ...(typeof server === 'string' && { server }),
    ...(typeof name === 'string' && { name }),
    ...(detail !== undefined && { detail }),
    ...(limit !== undefined && { limit }),
    ...(offset !== undefined && { offset }),
  });
  return new JsonList(listing.tools);
}

/** The declarations of some tools, one after the other. */
async function toolTypes(
  tools: ToolSource<ToolHit>,
  { names }: JsonObject,
  signal: AbortSignal,
): Promise<string> {
  if (!Array.isArray(names) || names.length > maxTypes || names.some((name) => typeof name !== 'string')) {
    throw invalid(`The types of tools are asked for by a list of at most ${maxTypes} names.`);
  }
  const texts = (names as string[]).map(async (name) => {
    const [tool] = (await tools.listTools({ name, detail: 'types', signal })).tools;
    if (tool) return tool.types ?? '';
    const shown = name.slice(0, maxShownNameChars);
    const problem = `Tool ${shown} does not exist, or its server is unavailable; search for tools to see what there is.`;
    throw new CodeExecutorError('not_found', problem, { tool: shown });
  });
  return (await Promise.all(texts)).join('\n\n');
}

function isCount(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least;
}

function isDetail(value: unknown): value is ListDetail {
  return (details as readonly unknown[]).includes(value);
}

function invalid(message: string, tool?: string): CodeExecutorError {
  return new CodeExecutorError('invalid_argument', message, tool === undefined ? {} : { tool });
}
