import { join } from 'node:path';

import type { AuditLog } from '@code-executor/audit-log';
import { ClientPool } from '@code-executor/client-pool';
import { baseEnvironment } from '@code-executor/config';
import type { AuditEvent, AuditSink, Logger } from '@code-executor/contracts';
import { SchemaCache } from '@code-executor/schema-cache';

import { openAuditLog } from './open-audit-log.js';
import type { Setup } from './setup.js';

/** What stays while other keys change: the upstream servers, what is known of their tools, and the record. */
export class LastingServices {
  readonly pool: ClientPool;
  readonly cache: SchemaCache<unknown>;
  /** The record; absent where there is none. */
  readonly auditLog: AuditLog | undefined;
  /** Takes an event to the record, and to whoever observes. */
  readonly audit: AuditSink;
  /** Present where nothing may be done without a record: takes it before it is done, and rejects where it cannot. */
  readonly admit: AuditSink | undefined;
  /** Called when everything but the record has ended: what it tells is the last that is on record. */
  beforeRecordEnds: (() => void) | undefined;
  readonly #logger: Logger;
  #users = 0;
  #closing: Promise<void> | undefined;

  /** Opens nothing: no process, no connection, no file. */
  constructor({ config, homeDir, servers, unusable, observe, logger }: Setup) {
    const { log, admit } = openAuditLog(config.audit ?? {}, homeDir, logger);
    this.#logger = logger;
    this.auditLog = log;
    this.admit = admit;
    this.audit = async (event: AuditEvent) => {
      void observe?.(event);
      await log?.append(event);
    };
    this.cache = new SchemaCache<unknown>({
      ...(homeDir !== undefined && { file: join(homeDir, 'schema-cache.json') }),
      ...config.schemaCache,
      logger,
    });
    const discoveryTimeoutMs = config.discovery?.timeoutMs;
    this.pool = new ClientPool({
      ...config.pool,
      ...(discoveryTimeoutMs !== undefined && { discoveryTimeoutMs }),
      servers,
      unusable,
      baseEnv: baseEnvironment(),
      cache: this.cache,
      audit: this.audit,
      logger,
    });
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
      await this.pool.drain(drainMs);
      this.#closing ??= this.#close();
      await this.#closing;
    };
  }

  /** The record last of all; what fails to close keeps nothing else open. */
  async #close(): Promise<void> {
    const close = (part: { close(): Promise<void> } | undefined) =>
      part?.close().catch((error: unknown) => this.#logger.error({ err: error }, 'Closing failed.'));
    await close(this.pool);
    await close(this.cache);
    this.beforeRecordEnds?.();
    await close(this.auditLog);
  }
}

/** Everything in a setup that they are made of, but for the servers, which the pool can change. */
export function lastingSettings({ config, homeDir }: Setup): object {
  const { audit, discovery, pool, schemaCache } = config;
  return { audit, discovery, pool, schemaCache, homeDir };
}
