import { CodeExecutorError, type FailedServer } from '@code-executor/contracts';

import { isOwnServer } from './own-server.js';
import type { ProjectTrust, ReadProjectFile } from './project-file.js';
import { namesVariable } from './references.js';
import { isTree } from './retired-keys.js';
import type { ServerDefinition } from './server-definitions.js';

/** The number of servers that are named from a file that is not trusted, because their number is not approved either. */
const maxNamed = 20;

/** A file of the working directory; undefined if there is none or, with a warning, if it cannot be approved. */
export async function readSuggestion(
  path: string,
  trust: ProjectTrust,
  warn: (warning: string) => void,
): Promise<ReadProjectFile | undefined> {
  try {
    return await trust.read(path);
  } catch (error) {
    warn(`Nothing of the working directory's file counts: ${CodeExecutorError.from(error).message}`);
    return undefined;
  }
}

/** The servers of an untrusted file that would be started or connected if it were trusted. */
export async function waitingServers(definitions: readonly ServerDefinition[]): Promise<ServerDefinition[]> {
  const waiting: ServerDefinition[] = [];
  for (const definition of definitions) {
    const { value, fault } = definition;
    if (fault !== undefined || (isTree(value) && value['disabled'] === true)) continue;
    if (!(await isOurs(value))) waiting.push(definition);
  }
  return waiting;
}

/** Why the servers of an untrusted file are missing. */
export function notTrusted(file: ReadProjectFile, servers: readonly ServerDefinition[]): FailedServer[] {
  return servers.slice(0, maxNamed).map(({ name, file: { label } }) => ({
    server: name,
    reason: file.hasChanged
      ? `not trusted: ${label} has changed since it was approved`
      : `not trusted: ${label} of the working directory is not approved`,
    fix: 'The user can look at it and approve it there with `code-executor trust`.',
  }));
}

/** The same for the operator, who may learn the path of the file. */
export function notTrustedWarning(file: ReadProjectFile, servers: readonly ServerDefinition[]): string {
  const names = servers.slice(0, maxNamed).map(({ name }) => name);
  const more = servers.length > maxNamed ? ` and ${servers.length - maxNamed} more` : '';
  const what =
    names.length === 0 ? 'nothing of it counts' : `its servers ${names.join(', ')}${more} are left alone`;
  const why = file.hasChanged ? 'has changed and is not trusted any more' : 'is not trusted';
  return `File ${file.path} ${why}, so ${what}. Look at it and approve it with: code-executor trust ${quoted(file.folder)}`;
}

/** Whether it starts this product in any environment, because a variable could change the command. */
async function isOurs(value: unknown): Promise<boolean> {
  if (!isTree(value) || typeof value['command'] !== 'string') return false;
  const given = Array.isArray(value['args']) ? value['args'] : [];
  const args = given.filter((word): word is string => typeof word === 'string');
  const { command } = value;
  if ([command, ...args].some(namesVariable)) return false;
  return isOwnServer({ command, args }, { cwd: '/', byNameOnly: true });
}

/** A word for a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
