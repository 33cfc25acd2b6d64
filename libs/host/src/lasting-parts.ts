import { ClientPool, type PoolStats } from '@code-executor/client-pool';
import { baseEnvironment } from '@code-executor/config';
import type { AuditSink, Logger, ToolSource } from '@code-executor/contracts';
import { SchemaCache } from '@code-executor/schema-cache';

import { cacheOptions, poolOptions } from './options.js';
import { openRecord, type Record } from './record.js';
import type { HostSettings } from './settings.js';

export interface LastingOptions {
  /** Instead of the upstream servers. */
  tools?: ToolSource | undefined;
  observe?: AuditSink | undefined;
  logger: Logger;
}

/** What stays while other settings change: the upstream servers, what is known of their tools, and the record. */
export class LastingParts {
  readonly tools: ToolSource;
  readonly cache: SchemaCache<unknown>;
  readonly record: Record;
  /** Called when everything but the record has ended: what it tells is the last that is on record. */
  beforeRecordEnds: (() => void) | undefined;
  readonly #pool: ClientPool | undefined;
  readonly #logger: Logger;
  #users = 0;
  #closing: Promise<void> | undefined;

  /** Opens nothing: no process, no connection, no file. */
  constructor(settings: HostSettings, { tools, observe, logger }: LastingOptions) {
    this.#logger = logger;
    this.record = openRecord(settings, observe, logger);
    this.cache = new SchemaCache<unknown>({ ...cacheOptions(settings), logger });
    this.#pool = tools
      ? undefined
      : new ClientPool({
          ...poolOptions(settings),
          baseEnv: baseEnvironment(),
          cache: this.cache,
          audit: this.record.audit,
          logger,
        });
    this.tools = tools ?? (this.#pool as ToolSource);
  }

  get poolStats(): PoolStats {
    return this.#pool?.stats ?? { active: 0, waiting: 0, max: 0, servers: [] };
  }

  /** Other upstream servers from now on; those that are configured as before stay connected. */
  update({ servers = {}, unusable = [] }: HostSettings): void {
    this.#pool?.update(servers, unusable);
  }

  /**
   * Whoever uses it enters, and calls what this returns when it leaves: the last one ends it all, after the tool calls
   * under way have had `drainMs`. It may leave again with a shorter time.
   */
  enter(): (drainMs: number) => Promise<void> {
    let isInside = true;
    this.#users++;
    return async (drainMs) => {
      if (isInside) this.#users--;
      isInside = false;
      if (this.#users > 0) return;
      // Over HTTP, tools are called without an executor.
      await this.#pool?.drain(drainMs);
      this.#closing ??= this.#close();
      await this.#closing;
    };
  }

  /** The record last of all; what fails to close keeps nothing else open. */
  async #close(): Promise<void> {
    const close = (part: { close(): Promise<void> } | undefined) =>
      part?.close().catch((error: unknown) => this.#logger.error({ err: error }, 'Closing failed.'));
    await close(this.#pool);
    await close(this.cache);
    this.beforeRecordEnds?.();
    await close(this.record.log);
  }
}

/** Everything in the settings that they are made of, but for the servers, which the pool can change. */
export function lastingSettings({ config, homeDir }: HostSettings): object {
  const { audit, discovery, pool, schemaCache } = config;
  return { audit, discovery, pool, schemaCache, homeDir };
}
