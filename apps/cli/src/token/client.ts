import { clientIdPattern, clientIdRule, type Config } from '@code-executor/config';
import { InvalidArgumentError } from 'commander';

/** One client of the HTTP door, as configured. */
export type Client = NonNullable<NonNullable<Config['http']>['clients']>[string];

/** The clients of a configuration by id, in its order. */
export function clientsOf({ http }: Config): Map<string, Client> {
  return new Map(Object.entries(http?.clients ?? {}));
}

/** Where a client stands in the configuration. */
export function pathOf(id: string): string[] {
  return ['http', 'clients', id];
}

/** An id of the command line. */
export function clientId(text: string): string {
  if (clientIdPattern.test(text) && text !== '__proto__') return text;
  throw new InvalidArgumentError(`An id has ${clientIdRule}.`);
}

const toolPrefix = 'mcp__';
/** Two names that were meant as two, most likely, or what would write to a terminal; files take these too. */
const unlikely = /[\s,\p{Cc}]/u;

/** Adds a tool of the command line to those before it: a full name, or a pattern that full names can match. */
export function addToolPattern(text: string, previous: readonly string[] = []): string[] {
  const [literal = ''] = text.split('*', 1);
  const canMatch = literal.startsWith(toolPrefix) || (literal !== text && toolPrefix.startsWith(literal));
  if (canMatch && !unlikely.test(text)) return [...previous, text];
  throw new InvalidArgumentError(
    'Tools are named in full, mcp__<server>__<tool>, where * is any text; several are divided by spaces.',
  );
}
