import { editConfig } from '@code-executor/config';
import { CodeExecutorError } from '@code-executor/contracts';

import { configuredNames } from '../configured-names.js';
import { clientsOf, pathOf } from './client.js';

export interface RevokedToken {
  /** The configuration that was changed. */
  file: string;
  /** Whether it was the last client. */
  wasLast: boolean;
}

/**
 * Removes a client of the HTTP interface, with its permissions.
 *
 * @throws CodeExecutorError `not_found` when no client has this id, and the errors of `editConfig`.
 */
export async function revokeToken(id: string, options: { file?: string } = {}): Promise<RevokedToken> {
  let wasLast = false;
  const file = await editConfig((config) => {
    const clients = clientsOf(config);
    if (!clients.has(id)) throw noSuchClient(id, [...clients.keys()]);
    wasLast = clients.size === 1;
    return [{ path: pathOf(id) }];
  }, options);
  return { file, wasLast };
}

function noSuchClient(id: string, ids: readonly string[]): CodeExecutorError {
  return new CodeExecutorError('not_found', `There is no client ${id}; ${configuredNames(ids)}.`);
}
