import { CodeExecutorError, type FailedServer, type ToolSchema } from '@code-executor/contracts';

import { serverOf } from '../names/tool-names.js';
import type { PolicyGate } from '../policy/tool-policy.js';
import { quoteName } from '../quote.js';
import { describeMissing } from './describe-missing.js';
import type { ToolLookup } from './tool-lookup.js';

/** Where tools are found, and which of them may be called. */
export interface ToolFinder {
  lookup: ToolLookup;
  policy: PolicyGate;
}

/**
 * The tool that is called.
 *
 * @throws CodeExecutorError `unavailable` if its server could not be listed, `not_found` if there is no such tool.
 */
export async function findTool(
  finder: ToolFinder,
  name: string,
  signal: AbortSignal | undefined,
): Promise<ToolSchema> {
  const tool = await finder.lookup.find(name, true, signal);
  if (tool) return tool;
  const failure = finder.lookup.failureOf(name);
  if (!failure) return notFound(finder, name, signal);
  const { server, retryAfterMs } = failure;
  const problem = `Tool ${quoteName(name)} cannot be called because its server ${quoteName(server)} is unavailable: ${textOf(failure)}`;
  throw new CodeExecutorError('unavailable', problem, {
    tool: name,
    server,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** Rejects with `not_found`, and names the tools that may have been meant. */
export async function notFound(
  { lookup, policy }: ToolFinder,
  name: string,
  signal: AbortSignal | undefined,
): Promise<never> {
  const { tools } = await lookup.list(signal);
  const { servers } = lookup;
  const owner = serverOf(name, [...policy.servers, ...servers]);
  const callable = tools.filter((tool) => policy.barredBy(tool) === undefined);
  const problem = describeMissing(name, callable, [...servers]);
  throw new CodeExecutorError('not_found', problem, {
    tool: name,
    ...(owner !== undefined && { server: owner }),
  });
}

/** What the source says about a failed server; cut, because part of it comes from upstream. */
function textOf({ reason, fix }: FailedServer): string {
  return `${reason.slice(0, 500).replace(/\.$/u, '')}. ${fix.slice(0, 500)}`;
}
