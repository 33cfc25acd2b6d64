import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

import { until } from '../started-server.test.support.js';
import type { Arena } from './arena.js';
import type { Mode } from './attack.js';
import { sandboxesOf, treeOf } from './measure.js';

/** Starts a program that waits until the signal ends it, in a process that was no spare. */
type Start = (arena: Arena, request: { signal: AbortSignal }) => Promise<unknown>;

// With a grant, so that it starts cold: a spare could not be told from the one that is still there.
const startTypescript: Start = (arena, request) =>
  arena.run('await new Promise((go) => setTimeout(go, 20_000));', {
    permissions: { read: [arena.places.readable] },
    request,
  });

/** Runs a program that waits, and looks at its process from outside meanwhile. */
export async function lookAtProcess(
  arena: Arena,
  look: (pid: number) => void,
  start = startTypescript,
): Promise<void> {
  const before = new Set(sandboxesOf(arena.pid));
  const caller = new AbortController();
  const running = start(arena, { signal: caller.signal });
  const cancelled = assert.rejects(running);
  let pid: number | undefined;
  await until(() => {
    const started = sandboxesOf(arena.pid).find((each) => !before.has(each));
    const innermost = started === undefined ? undefined : treeOf(started).at(-1);
    const isRunning = innermost !== undefined && runsBootstrap(innermost) && hasWarmedUp(innermost);
    if (isRunning) pid = innermost;
    return isRunning;
  });
  try {
    look(pid ?? 0);
  } finally {
    caller.abort();
    await cancelled;
  }
}

function runsBootstrap(pid: number): boolean {
  try {
    const [command = '', ...rest] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return command.endsWith('deno') && rest.join(' ').includes('bootstrap');
  } catch {
    return false;
  }
}

/** Deno has its descriptors by the time it runs a program. */
function hasWarmedUp(pid: number): boolean {
  return readdirSync(`/proc/${pid}/fd`).length > 6;
}

/** Soft and hard limits, as `/proc/<pid>/limits` names them. */
export function limitsOf(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/limits`, 'utf8').trim().split('\n').slice(1);
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, 26).trim(), line.slice(26, 68).trim().replace(/\s+/, ' ')]),
  );
}

/** The variables of a process. */
export const environmentNames: Record<Mode, string[]> = {
  strict: ['DENO_DIR', 'DENO_NO_UPDATE_CHECK', 'DENO_V8_FLAGS', 'DENO_WEBGPU_BACKEND', 'NO_COLOR', 'PWD'],
  portable: [
    'DENO_DIR',
    'DENO_EMIT_CACHE_MODE',
    'DENO_NO_UPDATE_CHECK',
    'DENO_V8_FLAGS',
    'DENO_WEBGPU_BACKEND',
    'NO_COLOR',
    'PWD',
  ],
};
