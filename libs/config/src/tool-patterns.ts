import { matchesGlob } from '@code-executor/contracts';

import { languageTools } from './language-names.js';

const prefix = 'mcp__';

/**
 * What is wrong with a pattern in `policy.servers.<server>`, after the name of the key; undefined if a tool of
 * that server may match it. A pattern that can match nothing would be a rule without effect, which is easy to miss.
 */
export function problemInServerRule(server: string, pattern: string): string | undefined {
  const own = `${prefix}${server}__`;
  if (!pattern.startsWith(prefix) || canBegin(pattern, own)) return undefined;
  const tool = pattern.split('__').at(-1) ?? '';
  const names = tool === '' ? 'the own names of its tools' : `"${tool}" or "${own}${tool}"`;
  return `is ${quote(pattern)}, which no tool of server ${server} can match; write ${names}`;
}

/** The same for a pattern of full names, of any server. */
export function problemInToolPattern(pattern: string): string | undefined {
  const [start = '', ...stars] = pattern.split('*');
  const canMatch =
    stars.length > 0
      ? start.startsWith(prefix) || prefix.startsWith(start)
      : /^mcp__.+__./s.test(pattern) || !pattern.includes('__');
  if (canMatch) return undefined;
  return `is ${quote(pattern)}, which no tool can match; full names are mcp__<server>__<tool>, and all tools of a server mcp__<server>__* or <server>`;
}

/** The same for a pattern of the product's own tools that run programs. */
export function problemInOwnToolPattern(pattern: string): string | undefined {
  if (isOwnToolPattern(pattern)) return undefined;
  return `${matchesNoOwnTool(pattern)}; tools of servers are in policy.servers.<name>.ask`;
}

/**
 * The same for a list that may have both. A name without `mcp__` is that of a server, unless it was meant as one of our
 * tools: those that run no program never ask.
 */
export function problemInAskedPattern(pattern: string): string | undefined {
  if (isOwnToolPattern(pattern)) return undefined;
  const isMeantAsOwn = /^(?:execute|getExecution$|health$)/i.test(pattern);
  if (!isMeantAsOwn) return problemInToolPattern(pattern);
  return `${matchesNoOwnTool(pattern)}; write the tools of a server of that name as mcp__<server>__*`;
}

const ownTools = Object.values(languageTools);

function isOwnToolPattern(pattern: string): boolean {
  return ownTools.some((name) => matchesGlob(pattern, name));
}

function matchesNoOwnTool(pattern: string): string {
  return `is ${quote(pattern)}, which none of ${ownTools.join(', ')} matches`;
}

/** Whether something that begins with these characters, and has more, matches the pattern. */
function canBegin(pattern: string, characters: string): boolean {
  const [start = '', ...stars] = pattern.split('*');
  if (stars.length === 0) return start.startsWith(characters) && start.length > characters.length;
  // The star matches the rest of them.
  return start.startsWith(characters) || characters.startsWith(start);
}

function quote(pattern: string): string {
  return JSON.stringify(pattern.length > 80 ? `${pattern.slice(0, 79)}…` : pattern);
}
