import { join, resolve } from 'node:path';

import type { AuditLogOptions } from '@code-executor/audit-log';
import type { ClientPoolOptions } from '@code-executor/client-pool';
import type { Config, LanguageName } from '@code-executor/config';
import type { ExecutorOptions, KeepOptions } from '@code-executor/executor';
import type { DenoSandboxOptions } from '@code-executor/sandbox-deno';
import type { PyodideSandboxOptions } from '@code-executor/sandbox-pyodide';
import type { PolicyHookOptions } from '@code-executor/policy-hook';
import type { SchemaCacheOptions } from '@code-executor/schema-cache';
import { type PinnedToolsOptions, pinsFileName } from '@code-executor/tool-pins';

import type { HostSettings } from './settings.js';

// The one place where keys of the configuration become options of the parts, each by its name: a key or an option that is
// renamed no longer compiles.

/** The options that are set. A key that is left out means the default of the part. */
function whereSet<Options extends object>(options: {
  [Key in keyof Options]?: Options[Key] | undefined;
}): Partial<Options> {
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as Partial<Options>;
}

type Part<Key extends keyof ExecutorOptions> = NonNullable<ExecutorOptions[Key]>;

/** What an executor is made with, beside its parts. */
export function executorOptions({ config, withheld = [] }: HostSettings): Partial<ExecutorOptions> {
  const { security, sandbox, policy, audit } = config;
  return {
    recordsCode: audit?.code === 'full',
    policy: whereSet<Part<'policy'>>({
      ceiling: policy?.ceiling,
      defaultAllowedTools: policy?.defaultAllowedTools,
      servers: policy?.servers,
      readOnly: policy?.readOnly,
      ask: policy?.ask,
    }),
    budget: whereSet<Part<'budget'>>({
      maxCalls: policy?.budget?.maxCalls,
      maxConcurrent: policy?.budget?.maxConcurrent,
      maxBytes: policy?.budget?.maxBytes,
    }),
    limits: whereSet<Part<'limits'>>({
      defaultTimeoutMs: security?.defaultTimeoutMs,
      maxTimeoutMs: security?.maxTimeoutMs,
      maxCodeSize: security?.maxCodeSize,
    }),
    grants: whereSet<Part<'grants'>>({
      allowRead: security?.allowRead,
      allowWrite: security?.allowWrite,
      allowNetwork: security?.allowNetwork,
      withheld,
    }),
    queue: whereSet<Part<'queue'>>({
      maxConcurrent: sandbox?.maxConcurrent,
      maxQueued: sandbox?.maxQueued,
      queueTimeoutMs: sandbox?.queueTimeoutMs,
    }),
  };
}

/** How many executions can be looked up after their end, and for how long. */
export function keepOptions({ config: { sandbox } }: HostSettings): KeepOptions {
  return whereSet<KeepOptions>({
    maxFinished: sandbox?.maxFinished,
    keepFinishedMs: sandbox?.keepFinishedMs,
  });
}

export function typescriptOptions({ config: { sandbox, executors } }: HostSettings): DenoSandboxOptions {
  return whereSet<DenoSandboxOptions>({
    isolation: sandbox?.isolation,
    maxOutputChars: sandbox?.maxOutputChars,
    denoPath: executors?.typescript?.denoPath,
    heapMb: executors?.typescript?.heapMb,
    memoryMb: executors?.typescript?.memoryMb,
    spares: sparesOf(sandbox, 'typescript'),
  });
}

export function pythonOptions({ config, homeDir }: HostSettings): PyodideSandboxOptions {
  const { sandbox, executors } = config;
  const snapshotDir = homeDir && join(homeDir, 'python');
  const packagesDir = executors?.python?.packagesDir ?? (snapshotDir && join(snapshotDir, 'packages'));
  return whereSet<PyodideSandboxOptions>({
    isolation: sandbox?.isolation,
    maxOutputChars: sandbox?.maxOutputChars,
    denoPath: executors?.typescript?.denoPath,
    memoryMb: executors?.python?.memoryMb,
    spares: sparesOf(sandbox, 'python'),
    snapshotDir,
    packagesDir: packagesDir && resolve(packagesDir),
  });
}

type Spares = NonNullable<DenoSandboxOptions['spares']>;

function sparesOf(sandbox: Config['sandbox'], language: LanguageName): Spares {
  const { idleMs, maxMemoryMb, [language]: count } = sandbox?.spares ?? {};
  return whereSet<Spares>({ idleMs, maxMemoryMb, count });
}

/** What the pool of upstream servers is made with, beside its parts. */
export function poolOptions(settings: HostSettings): ClientPoolOptions {
  const { config, servers = {}, unusable = [], homeDir } = settings;
  const { pool, discovery } = config;
  return {
    ...whereSet<ClientPoolOptions>({
      maxConcurrent: pool?.maxConcurrent,
      maxQueued: pool?.maxQueued,
      queueTimeoutMs: pool?.queueTimeoutMs,
      failureThreshold: pool?.failureThreshold,
      resetTimeoutMs: pool?.resetTimeoutMs,
      callTimeoutMs: pool?.callTimeoutMs,
      connectTimeoutMs: pool?.connectTimeoutMs,
      discoveryTimeoutMs: discovery?.timeoutMs,
      loginFolder: homeDir && join(homeDir, 'oauth'),
    }),
    servers,
    unusable,
  };
}

export function cacheOptions({ config: { schemaCache }, homeDir }: HostSettings): SchemaCacheOptions {
  return whereSet<SchemaCacheOptions>({
    file: homeDir && join(homeDir, 'schema-cache.json'),
    store: schemaCache?.store,
    ttlMs: schemaCache?.ttlMs,
    maxEntries: schemaCache?.maxEntries,
  });
}

/** What the hook is made with, beside its parts; undefined without a hook. */
export function hookOptions({ config: { policy } }: HostSettings): PolicyHookOptions | undefined {
  const { hook } = policy ?? {};
  return (
    hook &&
    whereSet<PolicyHookOptions>({
      command: hook.command,
      url: hook.url,
      headers: hook.headers,
      timeoutMs: hook.timeoutMs,
    })
  );
}

/** What the pins of tools are made with, beside their parts. */
export function pinOptions({
  config: { policy },
  homeDir,
}: HostSettings): Pick<PinnedToolsOptions, 'file' | 'policy'> {
  return { policy: policy?.pinning ?? 'report', ...(homeDir && { file: join(homeDir, pinsFileName) }) };
}

export function auditOptions({ audit }: Config): Partial<AuditLogOptions> {
  return whereSet<AuditLogOptions>({
    retentionDays: audit?.retentionDays,
    maxMegabytes: audit?.maxMegabytes,
    required: audit?.required,
  });
}
