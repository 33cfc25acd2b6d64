import { clientIdPattern, clientIdRule, type Config } from '@code-executor/config';
import { InvalidArgumentError } from 'commander';

/** One client of the HTTP interface, as configured. */
export type Client = NonNullable<NonNullable<Config['http']>['clients']>[string];

/** The clients of a configuration by id, in its order. */
export function clientsOf({ http }: Config): Map<string, Client> {
  return new Map(Object.entries(http?.clients ?? {}));
}

/** The path of a client in the configuration. */
export function pathOf(id: string): string[] {
  return ['http', 'clients', id];
}

/** Checks an id given on the command line. */
export function clientId(text: string): string {
  if (clientIdPattern.test(text) && text !== '__proto__') return text;
  throw new InvalidArgumentError(`An id has ${clientIdRule}.`);
}

const toolPrefix = 'mcp__';
/** Most likely two names in one argument, or control characters; the configuration file allows these too. */
const unlikely = /[\s,\p{Cc}]/u;

/** Appends a tool given on the command line: a full name, or a pattern that full names can match. */
export function addToolPattern(text: string, previous: readonly string[] = []): string[] {
  const [literal = ''] = text.split('*', 1);
  const canMatch = literal.startsWith(toolPrefix) || (literal !== text && toolPrefix.startsWith(literal));
  if (canMatch && !unlikely.test(text)) return [...previous, text];
  throw new InvalidArgumentError(
    'Give the full name of a tool, mcp__<server>__<tool>, where * stands for any text; separate several with spaces.',
  );
}
