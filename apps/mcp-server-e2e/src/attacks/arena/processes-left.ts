import assert from 'node:assert/strict';

import { descendantsOf } from '../../server-under-test/processes.js';
import { until } from '../../server-under-test/until.js';
import type { Mode } from './mode.js';

const untilCleanMs = 30_000;

/** A server that runs programs in processes. */
interface Runner {
  mode: Mode;
  pid: number;
  health(): Promise<{ executions: { running: number }; spares?: { ready: number } }>;
}

/** Checks that only one spare process and the upstream servers still run. */
export async function checkNothingRuns(server: Runner): Promise<void> {
  const deadline = Date.now() + untilCleanMs;
  let sandboxes: string[] = [];
  await until(async () => {
    const { executions, spares } = await server.health();
    const children = await descendantsOf(server.pid);
    sandboxes = children
      .map(({ commandLine }) => commandLine)
      .filter((commandLine) => !commandLine.includes('upstream-server.mjs'));
    // In strict isolation, a sandbox is bubblewrap, bubblewrap again, and Deno.
    const isClean =
      executions.running === 0 &&
      spares?.ready === 1 &&
      sandboxes.length <= (server.mode === 'strict' ? 3 : 1);
    return isClean || Date.now() > deadline;
  });
  assert.ok(Date.now() <= deadline, `These processes still run:\n${sandboxes.join('\n')}`);
}
