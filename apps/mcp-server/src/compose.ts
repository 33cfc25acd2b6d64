import { join, resolve } from 'node:path';

import type { AuditLog } from '@code-executor/audit-log';
import { ClientPool } from '@code-executor/client-pool';
import { baseEnvironment, type Config, type FoundServers } from '@code-executor/config';
import type { AuditEvent, AuditSink, Language, Logger, Sandbox } from '@code-executor/contracts';
import { createExecutor, type Executor } from '@code-executor/executor';
import { createGuardedFetch } from '@code-executor/guarded-fetch';
import { DenoSandbox } from '@code-executor/sandbox-deno';
import { PyodideSandbox } from '@code-executor/sandbox-pyodide';
import { SchemaCache } from '@code-executor/schema-cache';

import { enabledLanguages } from './enabled-languages.js';
import { openAuditLog } from './open-audit-log.js';

export interface Setup extends FoundServers {
  config: Config;
  /** The folder for everything that the product writes; without it, nothing is kept. */
  homeDir?: string;
  version: string;
  /** Gets every event, recorded or not. */
  observe?: AuditSink;
  logger: Logger;
}

/** Everything behind the tools. */
export interface Services {
  executor: Executor;
  pool: ClientPool;
  /** What lasts of the upstream servers' tools. */
  cache: Pick<SchemaCache<unknown>, 'entries' | 'stats'>;
  /** The record; absent where there is none. */
  auditLog?: AuditLog;
  /** Takes an event to the record, and to whoever observes. */
  audit: AuditSink;
  /** Present where nothing may be done without a record: takes it before it is done, and rejects where it cannot. */
  admit?: AuditSink;
  /**
   * Takes no more executions, lets those and the tool calls under way go on for `drainMs` (default 0), ends them and
   * every upstream server; resolves when their processes are gone. A second call with a shorter time cuts the first one short.
   */
  close(drainMs?: number): Promise<void>;
}

/**
 * Puts the parts together. Nothing here opens a process, a port or a file. Loaded when a tool is first
 * called: clients start servers just to look.
 */
export function compose({ config, homeDir, servers, observe, logger }: Setup): Services {
  const { security, sandbox, policy } = config;
  const { log: auditLog, admit } = openAuditLog(config.audit ?? {}, homeDir, logger);
  const audit = async (event: AuditEvent) => {
    void observe?.(event);
    await auditLog?.append(event);
  };
  const cache = new SchemaCache<unknown>({
    ...(homeDir !== undefined && { file: join(homeDir, 'schema-cache.json') }),
    ...config.schemaCache,
    logger,
  });
  const discoveryTimeoutMs = config.discovery?.timeoutMs;
  const pool = new ClientPool({
    ...config.pool,
    ...(discoveryTimeoutMs !== undefined && { discoveryTimeoutMs }),
    servers,
    baseEnv: baseEnvironment(),
    cache,
    audit,
    logger,
  });
  const fetcher = createGuardedFetch();
  const executor = createExecutor({
    tools: pool,
    sandboxes: enabledLanguages(config).map((language) => createSandbox(language, config, homeDir)),
    fetcher,
    audit,
    ...(admit && { admit }),
    ...(policy && { policy }),
    ...(policy?.budget && { budget: policy.budget }),
    ...(security && { limits: security, grants: security }),
    ...(sandbox && { queue: sandbox }),
    logger,
  });
  let closing: Promise<void> | undefined;
  return {
    executor,
    pool,
    cache,
    audit,
    ...(auditLog && { auditLog }),
    ...(admit && { admit }),
    async close(drainMs = 0) {
      const warn = (error: unknown) => logger.error({ err: error }, 'Closing failed.');
      const endsAt = performance.now() + drainMs;
      await executor.close({ drainMs }).catch(warn);
      // Over HTTP, tools are called without an executor.
      await pool.drain(Math.max(0, endsAt - performance.now()));
      // Programs end before what serves their calls, and the record last of all; what fails to close keeps nothing else open.
      closing ??= (async () => {
        for (const part of [pool, cache, fetcher, ...(auditLog ? [auditLog] : [])]) {
          await part.close().catch(warn);
        }
      })();
      await closing;
    },
  };
}

function createSandbox(language: Language, { sandbox, executors }: Config, homeDir?: string): Sandbox {
  const { typescript, python, ...spareLimits } = sandbox?.spares ?? {};
  const spares = (count: number | undefined) => ({ ...spareLimits, ...(count !== undefined && { count }) });
  if (language === 'typescript') {
    return new DenoSandbox({ ...sandbox, ...executors?.typescript, spares: spares(typescript) });
  }
  const snapshotDir = homeDir && join(homeDir, 'python');
  const { memoryMb, packagesDir = snapshotDir && join(snapshotDir, 'packages') } = executors?.python ?? {};
  const denoPath = executors?.typescript?.denoPath;
  return new PyodideSandbox({
    ...sandbox,
    spares: spares(python),
    ...(denoPath !== undefined && { denoPath }),
    ...(memoryMb !== undefined && { memoryMb }),
    ...(snapshotDir !== undefined && { snapshotDir }),
    ...(packagesDir !== undefined && { packagesDir: resolve(packagesDir) }),
  });
}
