import type { AuditSink, Logger } from '@code-executor/contracts';
import type { Host, HostSettings } from '@code-executor/host';

import type { Telemetry } from './telemetry.js';

export interface LazyHostOptions {
  /** Started before the host, if it is wanted. */
  telemetry: () => Promise<Telemetry | undefined>;
  logger: Logger;
}

/**
 * A host that is loaded and made when something first needs it, because clients start servers just to look at their
 * tools.
 */
export class LazyHost {
  readonly #options: LazyHostOptions;
  #opening: Promise<Host> | undefined;
  #host: Host | undefined;
  #telemetry: Telemetry | undefined;
  #observe: AuditSink | undefined;

  constructor(options: LazyHostOptions) {
    this.#options = options;
  }

  /** Undefined as long as nothing has needed it. */
  get current(): Host | undefined {
    return this.#host;
  }

  /** From now on every event goes to `observe`. Call it before the host is opened. */
  observeWith(observe: AuditSink): void {
    this.#observe = observe;
  }

  /** The host; the first call decides with which settings it begins. */
  open(settings: HostSettings): Promise<Host> {
    return (this.#opening ??= this.#start(settings));
  }

  /** The host, once it is there; undefined if nothing has needed it. */
  async opened(): Promise<Host | undefined> {
    return this.#opening;
  }

  /** What is under way may go on for `drainMs`. Traces are exported until all else has ended. */
  async close(drainMs: number): Promise<void> {
    const host = await this.#opening;
    if (!host) return;
    const { closeHost } = await import('./open-host.js');
    await closeHost(host, drainMs);
    await this.#telemetry?.close();
  }

  async #start(settings: HostSettings): Promise<Host> {
    const { telemetry, logger } = this.#options;
    const observe = this.#observe;
    const { openHost } = await import('./open-host.js');
    this.#telemetry = await telemetry();
    this.#host = openHost({ ...settings, ...(observe && { observe }), logger });
    return this.#host;
  }
}
