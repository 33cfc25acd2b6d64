import {
  CodeExecutorError,
  type JsonObject,
  plainContent,
  ToolFailure,
  type ToolHit,
  type ToolName,
  type ToolSource,
} from '@code-executor/contracts';

import type { HostCall } from '../host-call.js';
import { ResultText } from '../replies/reply.js';
import { withOwnNames } from './argument-names.js';
import type { ToolPaths } from './tool-paths.js';

const maxShownNameChars = 200;

/** Calls a tool by its name or by its path. */
export const callTool: HostCall = {
  // The `ToolSource` has limits of its own: on calls at once and on bytes of results.
  maxAtOnce: Infinity,
  async answer({ args: given, raw, hasKeywords, ...target }, { tools, toolPaths }, signal) {
    const { name, found } = await findTarget(target, toolPaths, signal);
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      throw await notAnObject(tools, name, signal);
    }
    const args = found && hasKeywords === true ? withOwnNames(given, found) : given;
    const result = await tools.callTool(name, args, { signal });
    if (raw === true) return result;
    const failure = await ToolFailure.of(result, name, tools, { signal });
    if (failure) throw failure;
    const plain = plainContent(result);
    return typeof plain === 'string' ? new ResultText(plain) : plain;
  },
};

/** The tool to call: given by `name`, or found by `server` and `tool`. */
async function findTarget(
  { name, server, tool }: JsonObject,
  toolPaths: ToolPaths,
  signal: AbortSignal,
): Promise<{ name: ToolName; found?: ToolHit }> {
  if (typeof name === 'string') return { name: name as ToolName };
  if (typeof server !== 'string' || typeof tool !== 'string') {
    throw invalid('callMCPTool takes the name of a tool as a string.');
  }
  const found = await toolPaths.find({ server, tool }, signal);
  // If there is no such tool, the call fails with an error that says which tools there are.
  return found ? { name: found.name, found } : { name: `mcp__${server}__${tool}` };
}

async function notAnObject(
  tools: ToolSource<ToolHit>,
  name: string,
  signal: AbortSignal,
): Promise<CodeExecutorError> {
  const shown = name.slice(0, maxShownNameChars);
  const { signature } = (await tools.listTools({ name, detail: 'signatures', signal })).tools[0] ?? {};
  const advice = signature === undefined ? '' : ` Its signature is ${signature}`;
  return invalid(`The arguments of ${shown} must be one object.${advice}`, shown);
}

function invalid(message: string, tool?: string): CodeExecutorError {
  return new CodeExecutorError('invalid_argument', message, tool === undefined ? {} : { tool });
}
