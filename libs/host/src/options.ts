import { join, resolve } from 'node:path';

import type { AuditLogOptions } from '@code-executor/audit-log';
import type { ClientPoolOptions } from '@code-executor/client-pool';
import type { Config, LanguageName } from '@code-executor/config';
import type { ExecutorOptions, KeepOptions } from '@code-executor/executor';
import type { DenoSandboxOptions } from '@code-executor/sandbox-deno';
import type { PyodideSandboxOptions } from '@code-executor/sandbox-pyodide';
import type { SchemaCacheOptions } from '@code-executor/schema-cache';

import type { HostSettings } from './settings.js';

// The one place where keys of the configuration become options of the parts: by name, so that one that is renamed on
// either side does not compile.

/** The keys of a section that are options of the same name. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- Whoever calls says whose options they are.
function pick<Options>() {
  return <Section extends object, Key extends keyof Section & keyof Options>(
    section: Section | undefined,
    ...keys: Key[]
  ): Partial<Pick<Section, Key>> => {
    const picked: Partial<Pick<Section, Key>> = {};
    for (const key of keys) if (section?.[key] !== undefined) picked[key] = section[key];
    return picked;
  };
}

type Options<Key extends keyof ExecutorOptions> = NonNullable<ExecutorOptions[Key]>;

/** What an executor is made with, beside its parts. */
export function executorOptions({ config, withheld = [] }: HostSettings) {
  const { security, sandbox, policy } = config;
  return {
    policy: pick<Options<'policy'>>()(policy, 'ceiling', 'defaultAllowedTools', 'servers'),
    budget: pick<Options<'budget'>>()(policy?.budget, 'maxCalls', 'maxConcurrent', 'maxBytes'),
    limits: pick<Options<'limits'>>()(security, 'defaultTimeoutMs', 'maxTimeoutMs', 'maxCodeSize'),
    grants: {
      ...pick<Options<'grants'>>()(security, 'allowRead', 'allowWrite', 'allowNetwork'),
      withheld,
    },
    queue: pick<Options<'queue'>>()(sandbox, 'maxConcurrent', 'maxQueued', 'queueTimeoutMs'),
  } satisfies Partial<ExecutorOptions>;
}

/** How many executions can be looked up after their end, and how long. */
export function keepOptions({ config: { sandbox } }: HostSettings): KeepOptions {
  return pick<KeepOptions>()(sandbox, 'maxFinished', 'keepFinishedMs');
}

export function typescriptOptions({ config: { sandbox, executors } }: HostSettings): DenoSandboxOptions {
  return {
    ...pick<DenoSandboxOptions>()(sandbox, 'isolation', 'maxOutputChars'),
    ...pick<DenoSandboxOptions>()(executors?.typescript, 'denoPath', 'heapMb', 'memoryMb'),
    spares: sparesOf(sandbox, 'typescript'),
  };
}

export function pythonOptions({ config, homeDir }: HostSettings): PyodideSandboxOptions {
  const { sandbox, executors } = config;
  const snapshotDir = homeDir && join(homeDir, 'python');
  const packagesDir = executors?.python?.packagesDir ?? (snapshotDir && join(snapshotDir, 'packages'));
  return {
    ...pick<PyodideSandboxOptions>()(sandbox, 'isolation', 'maxOutputChars'),
    ...pick<PyodideSandboxOptions>()(executors?.typescript, 'denoPath'),
    ...pick<PyodideSandboxOptions>()(executors?.python, 'memoryMb'),
    spares: sparesOf(sandbox, 'python'),
    ...(snapshotDir !== undefined && { snapshotDir }),
    ...(packagesDir !== undefined && { packagesDir: resolve(packagesDir) }),
  };
}

type Spares = NonNullable<DenoSandboxOptions['spares']>;

function sparesOf(sandbox: Config['sandbox'], language: LanguageName): Spares {
  const count = sandbox?.spares?.[language];
  return {
    ...pick<Spares>()(sandbox?.spares, 'idleMs', 'maxMemoryMb'),
    ...(count !== undefined && { count }),
  };
}

export function poolOptions({ config, servers = {}, unusable = [] }: HostSettings) {
  const discoveryTimeoutMs = config.discovery?.timeoutMs;
  return {
    ...pick<ClientPoolOptions>()(
      config.pool,
      'maxConcurrent',
      'maxQueued',
      'queueTimeoutMs',
      'failureThreshold',
      'resetTimeoutMs',
      'callTimeoutMs',
      'connectTimeoutMs',
    ),
    ...(discoveryTimeoutMs !== undefined && { discoveryTimeoutMs }),
    servers,
    unusable,
  } satisfies Partial<ClientPoolOptions>;
}

export function cacheOptions({ config, homeDir }: HostSettings): SchemaCacheOptions {
  return {
    ...(homeDir !== undefined && { file: join(homeDir, 'schema-cache.json') }),
    ...pick<SchemaCacheOptions>()(config.schemaCache, 'store', 'ttlMs', 'maxEntries'),
  };
}

export function auditOptions({ audit }: Config): Partial<AuditLogOptions> {
  return pick<AuditLogOptions>()(audit, 'retentionDays', 'maxMegabytes', 'required');
}
