import { join } from 'node:path';

import type { HttpServer } from '@code-executor/client-pool';
import { CodeExecutorError, type LoginEvent } from '@code-executor/contracts';

import { configuredNames } from '../configured-names.js';
import { loadServers } from '../load-servers.js';
import { openHost } from '../open-host.js';
import type { Terminal } from '../terminal.js';

/** The remote servers of a configuration, and where the logins at them are kept. */
export interface OpenedLogins {
  folder: string;
  servers: ReadonlyMap<string, HttpServer>;
  /** The remote server of this name. */
  find(name: string): HttpServer;
  record(server: string, action: LoginEvent['action']): Promise<void>;
}

export async function openLogins(options: { config?: string }, terminal: Terminal): Promise<OpenedLogins> {
  const { loaded, found } = await loadServers(options, terminal);
  const { config, homeDir } = loaded;
  if (homeDir === undefined) {
    throw new CodeExecutorError('failed_precondition', 'You have no home folder; set CODE_EXECUTOR_HOME.');
  }
  const servers = new Map<string, HttpServer>();
  for (const [name, server] of Object.entries(found.servers)) if ('url' in server) servers.set(name, server);
  return {
    folder: join(homeDir, 'oauth'),
    servers,
    find: (name) => {
      const server = servers.get(name);
      if (server) return server;
      const unusable = found.unusable.find((one) => one.server === name);
      if (unusable) {
        throw new CodeExecutorError(
          'failed_precondition',
          `Server ${name}: ${unusable.reason}. ${unusable.fix}`,
        );
      }
      const known = configuredNames([...servers.keys()]);
      throw new CodeExecutorError('not_found', `There is no remote server named ${name}; ${known}.`);
    },
    record: async (server, action) => {
      // Unlike other commands, this one changes what a running server may do.
      const host = await openHost(loaded, { config: { ...config, security: {} } });
      const status = action === 'failed' ? 'failure' : 'success';
      const marks = { timestamp: new Date().toISOString(), clientId: 'cli', clientKind: 'cli' } as const;
      await host.audit({ type: 'login', action, status, server, ...marks });
      await host.close();
    },
  };
}
