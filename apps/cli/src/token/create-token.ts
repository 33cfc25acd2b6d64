import { createHash, randomBytes } from 'node:crypto';

import { editConfig } from '@code-executor/config';
import { CodeExecutorError } from '@code-executor/contracts';

import { type Client, clientsOf, pathOf } from './client.js';

export interface CreateTokenOptions {
  /** The configuration to change. Default: the one that a server would read. */
  file?: string;
  /** Full names or globs. Default: `policy.defaultAllowedTools`. */
  allow?: string[];
}

export interface CreatedToken {
  /** Stored nowhere: the configuration has only its hash. */
  token: string;
  /** The configuration that was changed. */
  file: string;
  /** Whether it is the first client. */
  isFirst: boolean;
}

/**
 * Creates a client of the HTTP interface.
 *
 * @throws CodeExecutorError `failed_precondition` when the id is taken, and the errors of `editConfig`.
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
        const message = `Client ${id} exists already. For a new token, first run: code-executor token revoke ${id}`;
        throw new CodeExecutorError('failed_precondition', message);
      }
      isFirst = clients.size === 0;
      return [{ path: pathOf(id), value: client }];
    },
    file === undefined ? {} : { file },
  );
  return { token, file: changed, isFirst };
}
