import { isDeepStrictEqual } from 'node:util';

import type { AuditEvent, Logger } from '@code-executor/contracts';

import { compose, type Services, type Setup } from './compose.js';

/** The services as they are configured now: what runs goes on with those that it began with. */
export class LiveServices {
  #setup: Setup;
  #current: Services;
  readonly #logger: Logger;
  /** Earlier services that finish their executions. */
  readonly #draining = new Set<Services>();

  constructor(setup: Setup) {
    this.#setup = setup;
    this.#logger = setup.logger;
    this.#current = compose(setup);
    this.#tell({ type: 'lifecycle', action: 'started', status: 'success' });
  }

  get current(): Services {
    return this.#current;
  }

  get setup(): Setup {
    return this.#setup;
  }

  /**
   * Has this configuration from now on. Where only servers were added, changed or taken away, all others stay
   * connected.
   */
  reload(setup: Setup): void {
    const before = this.#setup;
    this.#setup = setup;
    if (isDeepStrictEqual(withoutServers(before), withoutServers(setup))) {
      this.#current.pool.update(setup.servers);
    } else {
      const old = this.#current;
      this.#current = compose(setup);
      this.#draining.add(old);
      void old.close(longestExecutionMs(before)).finally(() => this.#draining.delete(old));
    }
    this.#tell({ type: 'config', action: 'reloaded', status: 'success' });
  }

  /** The new configuration cannot be used, and the old one stays. */
  refuse(): void {
    this.#tell({ type: 'config', action: 'refused', status: 'rejected' });
  }

  /** Executions may go on for `drainMs`, then all ends. A second call with a shorter time cuts the first one short. */
  async close(drainMs: number): Promise<void> {
    this.#tell({ type: 'lifecycle', action: 'stopped', status: 'success' });
    await Promise.all([this.#current, ...this.#draining].map((services) => services.close(drainMs)));
  }

  #tell(event: Omit<AuditEvent, 'timestamp'>): void {
    void this.#current.auditLog
      ?.append({ ...event, timestamp: new Date().toISOString() })
      .catch((error: unknown) => this.#logger.error({ err: error }, 'The audit record was not written.'));
  }
}

/** What decides how executions run, whichever servers there are. */
function withoutServers({ config, homeDir }: Setup): object {
  const servers = { mcpServers: undefined, mcpConfigPath: undefined, projectOnly: undefined };
  return { ...config, ...servers, http: undefined, homeDir };
}

function longestExecutionMs({ config }: Setup): number {
  return config.security?.maxTimeoutMs ?? 300_000;
}
