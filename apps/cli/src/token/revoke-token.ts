import { editConfig } from '@code-executor/config';
import { CodeExecutorError } from '@code-executor/contracts';

import { whatThereIs } from '../what-there-is.js';
import { clientsOf, pathOf } from './client.js';

export interface RevokedToken {
  /** The configuration that had the client. */
  file: string;
  /** Whether there is none now. */
  wasLast: boolean;
}

/**
 * Removes a client of the HTTP door, with what it may call.
 *
 * @throws CodeExecutorError `not_found` when there is none with this id, and whatever `editConfig` has.
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
  return new CodeExecutorError('not_found', `There is no client ${id}; ${whatThereIs(ids)}.`);
}
