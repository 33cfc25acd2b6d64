import type { PoolStats, ServerStats } from '@code-executor/client-pool';
import type { IsolationMode, SandboxStatus } from '@code-executor/contracts';
import type { Executor, ExecutorStats } from '@code-executor/executor';
import * as z from 'zod';

import { publishedSchema, record } from '../../published-schema.js';
import type { Tool } from '../../tool.js';

const maxWarnings = 20;
const maxWarningChars = 300;
const noLanguage =
  'No language is enabled, so no program can run; set executors.typescript.enabled or executors.python.enabled to true in the configuration.';

type Spares = NonNullable<SandboxStatus['spares']>;

const report = z.object({
  healthy: z.boolean(),
  version: z.string(),
  isolation: z.custom<IsolationMode>().meta({ type: 'string' }).exactOptional(),
  note: z.string().exactOptional(),
  warnings: z.array(z.string()).exactOptional(),
  error: z.string().exactOptional(),
  auditLog: record<{ enabled: boolean }>(),
  mcpClients: record<{ connected: number }>(),
  connectionPool: record<{ active: number; waiting: number; max: number }>(),
  executions: record<ExecutorStats>(),
  spares: record<Spares>().exactOptional(),
  sandboxes: z.array(record<SandboxStatus>()),
  servers: z.array(record<Pick<ServerStats, 'name' | 'state' | 'reason'>>()),
  uptime: z.number(),
  timestamp: z.string(),
});

export interface HealthSources {
  version: string;
  services: () => Promise<{
    executor: Pick<Executor, 'stats' | 'status'>;
    lasting: {
      pool: { readonly stats: PoolStats };
      /** Absent where nothing is recorded. */
      auditLog?: object | undefined;
    };
  }>;
  /** What is wrong with the configuration, though the server works. */
  warnings: () => readonly string[];
  /** Why the server does not work at all. */
  problem?: string;
}

export function healthTool(sources: HealthSources): Tool {
  return {
    name: 'health',
    title: 'Health',
    description: 'State of the sandbox and of your MCP servers.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: publishedSchema(report),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async call(args) {
      const [unknown] = Object.keys(args ?? {});
      const structured = await measureHealth(sources);
      if (sources.problem !== undefined) return { structured, isError: true };
      if (unknown === undefined) return { structured, isError: false };
      const error = `Unknown parameter ${JSON.stringify(unknown.slice(0, 60))}; health takes none.`;
      return { structured: { ...structured, error }, isError: true };
    },
  };
}

async function measureHealth(sources: HealthSources): Promise<z.infer<typeof report>> {
  const { version, problem } = sources;
  const warnings = sources.warnings();
  const { executor, lasting } = await sources.services();
  const { pool, auditLog } = lasting;
  const sandboxes = await executor.status();
  const { active, waiting, max, servers } = pool.stats;
  const isolation = sandboxes.find((sandbox) => sandbox.isolation)?.isolation;
  const spares = sandboxes.flatMap((sandbox) => sandbox.spares ?? []);
  const note =
    sandboxes.length === 0 && problem === undefined
      ? noLanguage
      : [...new Set(sandboxes.flatMap((sandbox) => sandbox.note ?? []))].join(' ');
  return {
    healthy: sandboxes.length > 0 && sandboxes.every((sandbox) => sandbox.isolation !== undefined),
    version,
    ...(isolation && { isolation }),
    ...(note && { note }),
    ...(warnings.length > 0 && {
      warnings: warnings.slice(0, maxWarnings).map((warning) => warning.slice(0, maxWarningChars)),
    }),
    ...(problem !== undefined && { error: problem }),
    auditLog: { enabled: auditLog !== undefined },
    mcpClients: { connected: servers.filter((server) => server.state === 'connected').length },
    connectionPool: { active, waiting, max },
    executions: executor.stats,
    ...(spares.length > 0 && { spares: spares.reduce(addSpares) }),
    sandboxes,
    servers: servers.map(({ name, state, reason }) => ({ name, state, ...(reason && { reason }) })),
    uptime: Math.floor(process.uptime()),
    timestamp: new Date().toISOString(),
  };
}

function addSpares(one: Spares, other: Spares): Spares {
  return { ready: one.ready + other.ready, memoryMb: one.memoryMb + other.memoryMb };
}
