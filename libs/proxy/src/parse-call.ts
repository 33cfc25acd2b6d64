import { CodeExecutorError, type JsonObject, type ToolName } from '@code-executor/contracts';

import { quoteName, quoteValue } from './quote.js';

/** A call as it comes over HTTP. */
export interface RequestedCall {
  toolName: ToolName;
  params: JsonObject;
  /** Whether the whole result is wanted, as the tool gave it. */
  raw: boolean;
}

const fields = ['toolName', 'params', 'raw'];

/** Reads the body of `POST /`; throws `invalid_argument`. The policy judges name and arguments. */
export function parseCall(body: unknown): RequestedCall {
  if (!isObject(body)) throw invalid(`The body must be one object, not ${quoteValue(body)}; see POST /.`);
  // Refused instead of ignored, because a client that sends `allowedTools` here would believe that it counts.
  const unknown = Object.keys(body).find((key) => !fields.includes(key));
  if (unknown !== undefined) {
    throw invalid(`The body has no field ${quoteName(unknown)}; it takes ${fields.join(', ')}.`);
  }
  const { toolName, params = {}, raw = false } = body;
  if (typeof toolName !== 'string') {
    throw invalid(`toolName must be the name of a tool, not ${quoteValue(toolName)}.`);
  }
  if (!isObject(params)) {
    throw invalid(`params must be the arguments as one object, not ${quoteValue(params)}.`);
  }
  if (typeof raw !== 'boolean') throw invalid(`raw must be true or false, not ${quoteValue(raw)}.`);
  return { toolName: toolName as ToolName, params: params as JsonObject, raw };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(problem: string): CodeExecutorError {
  return new CodeExecutorError('invalid_argument', problem);
}
