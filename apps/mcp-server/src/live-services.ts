import { isDeepStrictEqual } from 'node:util';

import { readTelemetry } from '@code-executor/config';
import type { AuditEvent, Logger } from '@code-executor/contracts';

import { compose, type Services } from './compose.js';
import { lastingSettings } from './lasting-services.js';
import type { Setup } from './setup.js';
import type { Telemetry } from './telemetry.js';

/** The services as they are configured now: what runs goes on with those that it began with. */
export class LiveServices {
  #setup: Setup;
  #current: Services;
  readonly #logger: Logger;
  readonly #telemetry: Telemetry | undefined;
  /** Earlier services that finish their executions. */
  readonly #draining = new Set<Services>();
  #isClosing = false;

  private constructor(setup: Setup, telemetry: Telemetry | undefined) {
    this.#setup = setup;
    this.#logger = setup.logger;
    this.#telemetry = telemetry;
    this.#current = compose(setup);
    this.#tell({ type: 'lifecycle', action: 'started', status: 'success' });
  }

  /** With an exporter of traces where the environment asks for one: it has to be there before the first span. */
  static async open(setup: Setup): Promise<LiveServices> {
    const { isWanted, warnings } = readTelemetry();
    for (const warning of warnings) setup.logger.warn({}, warning);
    const telemetry = isWanted
      ? (await import('./telemetry.js')).startTelemetry(setup.version, setup.logger)
      : undefined;
    return new LiveServices(setup, telemetry);
  }

  get current(): Services {
    return this.#current;
  }

  get setup(): Setup {
    return this.#setup;
  }

  /**
   * Has this configuration from now on. Servers that are configured as before stay connected, unless how all of them
   * are connected changed. What cannot be composed throws, and all stays as it was; a server that ends stays as it is.
   */
  reload(setup: Setup): void {
    if (this.#isClosing) return;
    const before = this.#setup;
    const isSame = (of: (setup: Setup) => object) => isDeepStrictEqual(of(before), of(setup));
    const old = this.#current;
    const lasting = isSame(lastingSettings) ? old.lasting : undefined;
    if (!isSame(withoutServers)) {
      this.#current = compose(setup, lasting);
      this.#draining.add(old);
      const close = () => old.close(longestExecutionMs(before)).finally(() => this.#draining.delete(old));
      // Whoever was given the old ones in this turn has yet to begin with them.
      setImmediate(() => void close());
    }
    lasting?.pool.update(setup.servers, setup.unusable);
    this.#setup = setup;
    this.#tell({ type: 'config', action: 'reloaded', status: 'success' });
  }

  /** The new configuration cannot be used, and the old one stays. */
  refuse(): void {
    this.#tell({ type: 'config', action: 'refused', status: 'rejected' });
  }

  /** Executions may go on for `drainMs`, then all ends. A second call with a shorter time cuts the first one short. */
  async close(drainMs: number): Promise<void> {
    this.#isClosing = true;
    this.#current.lasting.beforeRecordEnds = () =>
      this.#tell({ type: 'lifecycle', action: 'stopped', status: 'success' });
    await Promise.all([this.#current, ...this.#draining].map((services) => services.close(drainMs)));
    // Last, for what ends has spans, too.
    await this.#telemetry?.close();
  }

  #tell(event: Omit<AuditEvent, 'timestamp'>): void {
    void Promise.resolve(
      this.#current.lasting.audit({ ...event, timestamp: new Date().toISOString() }),
    ).catch((error: unknown) => this.#logger.error({ err: error }, 'The audit record was not written.'));
  }
}

/** What decides how executions run, whichever servers there are. */
function withoutServers({ config, homeDir, withheld }: Setup): object {
  const servers = { mcpServers: undefined, mcpConfigPath: undefined, projectOnly: undefined };
  return { ...config, ...servers, http: undefined, homeDir, withheld };
}

function longestExecutionMs({ config }: Setup): number {
  return config.security?.maxTimeoutMs ?? 300_000;
}
