import type { PoolStats, ServerStats } from '@code-executor/client-pool';
import { languageNames } from '@code-executor/config';
import type { IsolationMode, SandboxStatus } from '@code-executor/contracts';
import type { Executor, ExecutorStats } from '@code-executor/executor';
import type { PinningStatus } from '@code-executor/tool-pins';

type Spares = NonNullable<SandboxStatus['spares']>;

/** What works, and how much of it is in use. */
export interface HostHealth {
  /** Whether programs in every enabled language can run. */
  healthy: boolean;
  /** The isolation mode of programs; absent if none can run. */
  isolation?: IsolationMode;
  /** Why it is not `strict`, or why nothing can run. */
  note?: string;
  auditLog: { enabled: boolean };
  /** Upstream servers. */
  mcpClients: { connected: number };
  /** Upstream calls. */
  connectionPool: { active: number; waiting: number; max: number };
  executions: ExecutorStats;
  /** Processes of all languages that wait for a program; absent if no language has them. */
  spares?: Spares;
  /** One for each enabled language. */
  sandboxes: SandboxStatus[];
  servers: Pick<ServerStats, 'name' | 'state' | 'reason'>[];
  /** Tools that differ from their pins, and what is wrong with the pins; absent if there is neither. */
  pinning?: PinningStatus;
}

const switches = languageNames.map((name) => `executors.${name}.enabled`).join(' or ');
const noLanguage = `No language is enabled, so no program can run; set ${switches} to true in the configuration.`;

export async function measureHealth({
  executor,
  poolStats,
  auditLog,
  pinning,
}: {
  executor: Pick<Executor, 'stats' | 'status'>;
  poolStats: PoolStats;
  /** Absent if nothing is recorded. */
  auditLog?: object | undefined;
  pinning?: () => Promise<PinningStatus | undefined>;
}): Promise<HostHealth> {
  const [sandboxes, pins] = await Promise.all([executor.status(), pinning?.()]);
  const arePinsNews = pins && (pins.changedTools.length > 0 || pins.problem !== undefined);
  const { active, waiting, max, servers } = poolStats;
  const isolation = sandboxes.find((sandbox) => sandbox.isolation)?.isolation;
  const spares = sandboxes.flatMap((sandbox) => sandbox.spares ?? []);
  const note =
    sandboxes.length === 0
      ? noLanguage
      : [...new Set(sandboxes.flatMap((sandbox) => sandbox.note ?? []))].join(' ');
  return {
    healthy: sandboxes.length > 0 && sandboxes.every((sandbox) => sandbox.isolation !== undefined),
    ...(isolation && { isolation }),
    ...(note && { note }),
    auditLog: { enabled: auditLog !== undefined },
    mcpClients: { connected: servers.filter((server) => server.state === 'connected').length },
    connectionPool: { active, waiting, max },
    executions: executor.stats,
    ...(spares.length > 0 && { spares: spares.reduce(addSpares) }),
    sandboxes,
    servers: servers.map(({ name, state, reason }) => ({ name, state, ...(reason && { reason }) })),
    ...(arePinsNews && { pinning: pins }),
  };
}

function addSpares(one: Spares, other: Spares): Spares {
  return { ready: one.ready + other.ready, memoryMb: one.memoryMb + other.memoryMb };
}
