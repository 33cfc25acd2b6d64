import { createHash, randomBytes } from 'node:crypto';

import { editConfig } from '@code-executor/config';
import { CodeExecutorError } from '@code-executor/contracts';

import { type Client, clientsOf, pathOf } from './client.js';

export interface CreateTokenOptions {
  /** The configuration to change; default the one that a server would read. */
  file?: string;
  /** Full names or globs; default what `policy.defaultAllowedTools` says. */
  allow?: string[];
}

export interface CreatedToken {
  /** Kept nowhere: the configuration has its hash. */
  token: string;
  /** The configuration that has the client now. */
  file: string;
  /** Whether there was none before. */
  isFirst: boolean;
}

/**
 * Makes a client of the HTTP door.
 *
 * @throws CodeExecutorError `failed_precondition` when there is one with this id, and whatever `editConfig` has.
 */
export async function createToken(
  id: string,
  { file, allow }: CreateTokenOptions = {},
): Promise<CreatedToken> {
  const token = randomBytes(32).toString('base64url');
  const tokenHash = `sha256:${createHash('sha256').update(token).digest('hex')}`;
  const client: Client = { tokenHash, ...(allow && { policy: { allow } }) };
  let isFirst = false;
  const changed = await editConfig(
    (config) => {
      const clients = clientsOf(config);
      if (clients.has(id)) {
        const message = `There is a client ${id} already. For a new token, first: code-executor token revoke ${id}`;
        throw new CodeExecutorError('failed_precondition', message);
      }
      isFirst = clients.size === 0;
      return [{ path: pathOf(id), value: client }];
    },
    file === undefined ? {} : { file },
  );
  return { token, file: changed, isFirst };
}
