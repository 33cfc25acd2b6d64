import { isDeepStrictEqual } from 'node:util';

import type { AuditLog } from '@code-executor/audit-log';
import type { LoginUnderWay, PoolStats } from '@code-executor/client-pool';
import {
  type Admission,
  type AuditEvent,
  type AuditSink,
  type CallHook,
  type LifecycleEvent,
  type Logger,
  silentLogger,
  type ToolSource,
} from '@code-executor/contracts';
import { Executions, type Executor } from '@code-executor/executor';
import type { SchemaCache } from '@code-executor/schema-cache';

import { type ExecutionParts, openExecutionParts } from './execution-parts.js';
import { type HostHealth, measureHealth } from './health.js';
import { type LastingOptions, lastingSettings, LastingParts } from './lasting-parts.js';
import { keepOptions } from './options.js';
import type { HostSettings } from './settings.js';

export interface HostOptions extends HostSettings {
  /** Tools of your own, instead of those of upstream servers. */
  tools?: ToolSource;
  /** Gets every event, recorded or not. */
  observe?: AuditSink;
  /** Default: silence. */
  logger?: Logger;
}

/** All running parts: they run programs, call tools and keep the audit log, under the present configuration. */
export interface Host {
  readonly settings: HostSettings;
  readonly executor: Executor;
  /** The upstream tools, without any policy. */
  readonly tools: ToolSource;
  readonly poolStats: PoolStats;
  readonly cache: SchemaCache<unknown>;
  /** Absent if nothing is recorded. */
  readonly auditLog: AuditLog | undefined;
  /** Passes an event to the audit log and to `observe`. */
  readonly audit: AuditSink;
  /** Present if nothing may be done without a record of it. */
  readonly admit: Admission | undefined;
  /** Decides about each tool call; absent if nothing is configured. */
  readonly hook: CallHook | undefined;
  /**
   * Uses these settings from now on; executions under way keep those that they began with. Servers with an unchanged
   * configuration stay connected, unless a setting for all of them changed. Throws if no parts can be made from the
   * settings, and keeps the old ones.
   */
  reload(settings: HostSettings): void;
  /** Records that new settings cannot be used and that the old ones stay. */
  refuse(): void;
  /**
   * Begins the login at an upstream server, or joins the one under way; see `ClientPool.beginLogin`. Show the address only to a
   * person on this machine.
   */
  beginLogin(server: string): Promise<LoginUnderWay>;
  /** What works, and how much of it is in use. */
  health(): Promise<HostHealth>;
  /**
   * Lets executions and calls go on for `drainMs` (default 0), then ends everything. `lastEvent` is called when everything
   * except the audit log has ended; its event is the last one recorded. A second call with a shorter time shortens the
   * first one.
   */
  close(options?: { drainMs?: number; lastEvent?: () => LifecycleEvent }): Promise<void>;
}

/** Puts all parts together. Opens no process and no connection, and no file except those that may be granted. */
export function createHost({ tools, observe, logger = silentLogger, ...settings }: HostOptions): Host {
  return new ReloadableHost(settings, { tools, observe, logger });
}

class ReloadableHost implements Host {
  readonly #options: LastingOptions;
  #settings: HostSettings;
  /** Shared by all executors, so that executions are still found when the settings change. */
  readonly #executions: Executions;
  #current: ExecutionParts;
  /** Earlier parts, which finish their executions. */
  readonly #draining = new Set<ExecutionParts>();
  #isClosing = false;

  constructor(settings: HostSettings, options: LastingOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#executions = new Executions(keepOptions(settings));
    this.#current = this.#open(settings);
  }

  get settings(): HostSettings {
    return this.#settings;
  }

  get executor(): Executor {
    return this.#current.executor;
  }

  get tools(): ToolSource {
    return this.#current.lasting.tools;
  }

  get poolStats(): PoolStats {
    return this.#current.lasting.poolStats;
  }

  get cache(): SchemaCache<unknown> {
    return this.#current.lasting.cache;
  }

  get auditLog(): AuditLog | undefined {
    return this.#current.lasting.record.log;
  }

  get audit(): AuditSink {
    return this.#current.lasting.record.audit;
  }

  get admit(): Admission | undefined {
    return this.#current.lasting.record.admit;
  }

  get hook(): CallHook | undefined {
    return this.#current.hook;
  }

  reload(settings: HostSettings): void {
    if (this.#isClosing) return;
    const before = this.#settings;
    const isSame = (of: (settings: HostSettings) => object) => isDeepStrictEqual(of(before), of(settings));
    const old = this.#current;
    const lasting = isSame(lastingSettings) ? old.lasting : undefined;
    if (!isSame(withoutServers)) {
      this.#current = this.#open(settings, lasting);
      this.#draining.add(old);
      const close = () => old.close(longestExecutionMs(before)).finally(() => this.#draining.delete(old));
      // Callers that got the old parts in this turn of the event loop have not used them yet.
      setImmediate(() => void close());
    }
    lasting?.update(settings);
    this.#executions.keep(keepOptions(settings));
    this.#settings = settings;
    this.#record({ type: 'config', action: 'reloaded', status: 'success', timestamp: now() });
  }

  refuse(): void {
    this.#record({ type: 'config', action: 'refused', status: 'rejected', timestamp: now() });
  }

  beginLogin(server: string): Promise<LoginUnderWay> {
    return this.#current.lasting.beginLogin(server);
  }

  health(): Promise<HostHealth> {
    const { executor, poolStats, auditLog } = this;
    return measureHealth({
      executor,
      poolStats,
      auditLog,
      pinning: () => this.#current.lasting.pinning(),
    });
  }

  async close({ drainMs = 0, lastEvent }: Parameters<Host['close']>[0] = {}): Promise<void> {
    this.#isClosing = true;
    const { lasting } = this.#current;
    if (lastEvent) lasting.beforeRecordEnds = () => this.#record(lastEvent());
    await Promise.all([this.#current, ...this.#draining].map((parts) => parts.close(drainMs)));
    this.#executions.clear();
  }

  #open(settings: HostSettings, lasting = new LastingParts(settings, this.#options)): ExecutionParts {
    return openExecutionParts(settings, lasting, this.#executions, this.#options.logger);
  }

  #record(event: AuditEvent): void {
    void Promise.resolve(this.audit(event)).catch((error: unknown) =>
      this.#options.logger.error({ err: error }, 'The audit record was not written.'),
    );
  }
}

function now(): string {
  return new Date().toISOString();
}

/** The settings that decide how executions run, apart from the servers. */
function withoutServers({ config, homeDir, withheld }: HostSettings): object {
  const servers = { mcpServers: undefined, mcpConfigPath: undefined, projectOnly: undefined };
  return { ...config, ...servers, http: undefined, homeDir, withheld };
}

/** From its request on: the wait for its turn, the start, its own time, and 10 minutes for a person's answers. */
function longestExecutionMs({ config: { sandbox, security } }: HostSettings): number {
  return (sandbox?.queueTimeoutMs ?? 30_000) + 60_000 + (security?.maxTimeoutMs ?? 300_000) + 600_000;
}
