import { ClientPool, type LoginUnderWay, type PoolStats, serverIdentity } from '@code-executor/client-pool';
import { baseEnvironment } from '@code-executor/config';
import { type AuditSink, CodeExecutorError, type Logger, type ToolSource } from '@code-executor/contracts';
import { SchemaCache } from '@code-executor/schema-cache';
import { PinnedTools, type PinningStatus } from '@code-executor/tool-pins';

import { cacheOptions, pinOptions, poolOptions } from './options.js';
import { type EventRecord, openRecord } from './record.js';
import type { HostSettings } from './settings.js';

export interface LastingOptions {
  /** Instead of the upstream servers. */
  tools?: ToolSource | undefined;
  observe?: AuditSink | undefined;
  logger: Logger;
}

/** The parts that outlive changes of other settings: the upstream servers, the cache of their tools, and the audit log. */
export class LastingParts {
  readonly tools: ToolSource;
  readonly cache: SchemaCache<unknown>;
  readonly record: EventRecord;
  /** Called when everything except the audit log has ended, so that it can record the last event. */
  beforeRecordEnds: (() => void) | undefined;
  readonly #pool: ClientPool | undefined;
  readonly #pins: PinnedTools | undefined;
  /** By the name of each configured server. */
  #identities: ReadonlyMap<string, string>;
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
          onListed: (tools) => void this.#pins?.see(tools),
          logger,
        });
    this.#identities = identitiesOf(settings);
    this.#pins =
      this.#pool &&
      new PinnedTools({
        ...pinOptions(settings),
        source: this.#pool,
        identityOf: (server) => this.#identities.get(server) ?? server,
        audit: this.record.audit,
        logger,
      });
    this.tools = tools ?? (this.#pins as ToolSource);
  }

  get poolStats(): PoolStats {
    return this.#pool?.stats ?? { active: 0, waiting: 0, max: 0, servers: [] };
  }

  /** What is known about changed tools; undefined for tools that are not those of upstream servers. */
  async pinning(): Promise<PinningStatus | undefined> {
    return this.#pins?.status(this.#identities.keys());
  }

  /** Begins the login at an upstream server; see `ClientPool.beginLogin`. */
  async beginLogin(server: string): Promise<LoginUnderWay> {
    if (this.#pool) return this.#pool.beginLogin(server);
    throw new CodeExecutorError('not_found', 'There is no server to log in at.', { server });
  }

  /** Uses these upstream servers from now on; those with an unchanged configuration stay connected. */
  update(settings: HostSettings): void {
    const { servers = {}, unusable = [] } = settings;
    this.#identities = identitiesOf(settings);
    this.#pins?.setPolicy(pinOptions(settings).policy);
    this.#pool?.update(servers, unusable);
  }

  /**
   * Registers a user of these parts and returns the function with which it leaves. The last one that leaves ends the
   * parts, after the tool calls under way have had `drainMs`. A user may leave again with a shorter time.
   */
  enter(): (drainMs: number) => Promise<void> {
    let isInside = true;
    this.#users++;
    return async (drainMs) => {
      if (isInside) this.#users--;
      isInside = false;
      if (this.#users > 0) return;
      // Calls over HTTP need no executor and may still be under way.
      await this.#pool?.drain(drainMs);
      this.#closing ??= this.#close();
      await this.#closing;
    };
  }

  /** The audit log comes last. A part that fails to close does not keep the others open. */
  async #close(): Promise<void> {
    const close = (part: { close(): Promise<void> } | undefined) =>
      part?.close().catch((error: unknown) => this.#logger.error({ err: error }, 'Closing failed.'));
    await close(this.#pool);
    await close(this.#pins);
    await close(this.cache);
    this.beforeRecordEnds?.();
    await close(this.record.log);
  }
}

/** The settings of these parts, except the servers, which the pool can change. */
export function lastingSettings({ config, homeDir }: HostSettings): object {
  const { audit, discovery, pool, schemaCache } = config;
  return { audit, discovery, pool, schemaCache, homeDir };
}

function identitiesOf({ servers = {} }: HostSettings): Map<string, string> {
  return new Map(Object.entries(servers).map(([name, server]) => [name, serverIdentity(name, server)]));
}
