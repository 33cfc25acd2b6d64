import type { FailedServer } from '@code-executor/contracts';

import type { Introduction } from './introductions.js';
import { listNames } from './list-names.js';

const maxServerChars = 1000;
const maxUnusable = 5;
const maxReasonChars = 120;

/** What a model reads about this server before it has called anything. */
export function instructionsFor(
  servers: readonly string[],
  languages: readonly Introduction[],
  unusable: readonly FailedServer[] = [],
  looksUp = false,
): string {
  const [first] = languages;
  if (first === undefined) return 'No language is enabled here, so no code can run; health says more.';
  const names = languages.map(({ tool }) => tool.name).join(' or ');
  const reach =
    servers.length === 0
      ? 'No MCP server is configured, so code has no tools to call.'
      : `Code can call the tools of these MCP servers: ${listNames(servers, maxServerChars)}.`;
  const without =
    unusable.length === 0 ? '' : ` ${sentenceOf(unusable)} Tell the user so where they are wanted.`;
  const later = looksUp ? ' If an answer does not come, getExecution has it.' : '';
  // One example is enough, because each tool's description names the functions of its language.
  const { search, call, title } = first;
  return `Use ${names} whenever a task takes several tool calls, or loops over, filters or joins their results: one program instead of many calls, and only its value comes back. ${reach}${without} To find tools, run \`${search}\`${languages.length > 1 ? ` (${title})` : ''}; then call them with ${call} and name them, or their servers, in allowedTools.${later}`;
}

function sentenceOf(unusable: readonly FailedServer[]): string {
  const shown = unusable.slice(0, maxUnusable).map(({ server, reason }) => {
    const short = reason.length > maxReasonChars ? `${reason.slice(0, maxReasonChars)}…` : reason;
    return `${server} (${short})`;
  });
  const rest = unusable.length - shown.length;
  const more = rest > 0 ? ` and ${rest} more` : '';
  return `These are configured but cannot be used: ${shown.join(', ')}${more}; health says more.`;
}

/** The same if nothing can run because of the configuration. */
export function instructionsWhenBroken(problem: string): string {
  return `Nothing can run here, because the configuration of Code Executor cannot be used. Tell the user what is wrong: ${problem} It works as soon as that is fixed.`;
}
