import { join } from 'node:path';

import { loadConfig } from '@code-executor/config';
import { CodeExecutorError, type PinningEvent } from '@code-executor/contracts';
import { type PendingChange, pinsFileName } from '@code-executor/tool-pins';

import { openHost } from '../open-host.js';
import type { Terminal } from '../terminal.js';

export interface OpenedPins {
  file: string;
  /** Records what was approved, in the audit log that a server with this configuration has. */
  recordApproved(changes: readonly PendingChange[]): Promise<void>;
}

/** The pins of the home that a server with this configuration has. */
export async function openPins(
  { config: path }: { config?: string },
  terminal: Terminal,
): Promise<OpenedPins> {
  const loaded = await loadConfig(path === undefined ? {} : { file: path });
  const { config, homeDir, warnings } = loaded;
  for (const warning of warnings) terminal.note(warning);
  if (homeDir === undefined) {
    throw new CodeExecutorError('failed_precondition', 'You have no home folder; set CODE_EXECUTOR_HOME.');
  }
  return {
    file: join(homeDir, pinsFileName),
    async recordApproved(changes) {
      const host = await openHost(loaded, { config: { ...config, security: {} } });
      for (const { server, tool } of changes) await host.audit(approved(server, tool));
      await host.close();
    },
  };
}

function approved(server: string, toolName: string): PinningEvent {
  const timestamp = new Date().toISOString();
  const by = { clientId: 'code-executor', clientKind: 'cli' } as const;
  return { type: 'pinning', action: 'approved', status: 'success', timestamp, server, toolName, ...by };
}
