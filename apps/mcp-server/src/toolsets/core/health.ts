import type { ServerStats } from '@code-executor/client-pool';
import type { IsolationMode, SandboxStatus } from '@code-executor/contracts';
import type { ExecutorStats } from '@code-executor/executor';
import type { Host, HostHealth } from '@code-executor/host';
import * as z from 'zod';

import { publishedSchema, record } from '../../published-schema.js';
import type { Tool } from '../../tool.js';

const maxWarnings = 20;
const maxWarningChars = 300;

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
  spares: record<NonNullable<SandboxStatus['spares']>>().exactOptional(),
  sandboxes: z.array(record<SandboxStatus>()),
  servers: z.array(record<Pick<ServerStats, 'name' | 'state' | 'reason'>>()),
  pinning: record<NonNullable<HostHealth['pinning']>>().exactOptional(),
  uptime: z.number(),
  timestamp: z.string(),
});

export interface HealthToolOptions {
  version: string;
  /** Called when the tool is called. */
  host: () => Promise<Pick<Host, 'health'>>;
  /** What is wrong with the configuration although the server works. */
  warnings: () => readonly string[];
  /** Why the server does not work at all. */
  problem?: string;
}

export function healthTool(options: HealthToolOptions): Tool {
  return {
    name: 'health',
    title: 'Health',
    description: 'State of the sandbox and of your MCP servers.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: publishedSchema(report),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async call(args) {
      const [unknown] = Object.keys(args ?? {});
      const structured = await reportHealth(options);
      if (options.problem !== undefined) return { structured, isError: true };
      if (unknown === undefined) return { structured, isError: false };
      const error = `Unknown parameter ${JSON.stringify(unknown.slice(0, 60))}; health takes none.`;
      return { structured: { ...structured, error }, isError: true };
    },
  };
}

async function reportHealth({
  version,
  host,
  warnings,
  problem,
}: HealthToolOptions): Promise<z.infer<typeof report>> {
  const found = warnings();
  const { healthy, isolation, note, ...parts } = await (await host()).health();
  return {
    healthy,
    version,
    ...(isolation && { isolation }),
    // The problem with the configuration says more than the note.
    ...(note !== undefined && problem === undefined && { note }),
    ...(found.length > 0 && {
      warnings: found.slice(0, maxWarnings).map((warning) => warning.slice(0, maxWarningChars)),
    }),
    ...(problem !== undefined && { error: problem }),
    ...parts,
    uptime: Math.floor(process.uptime()),
    timestamp: new Date().toISOString(),
  };
}
