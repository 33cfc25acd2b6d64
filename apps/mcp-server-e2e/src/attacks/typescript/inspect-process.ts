import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { until } from '../../server-under-test/until.js';
import { sandboxesOf, treeOf } from '../arena/measure.js';
import type { Mode } from '../arena/mode.js';
import type { StdioArena, RunOptions } from '../arena/stdio-arena.js';
import { call } from './tool-calls.js';

export const echo = 'mcp__fixture__echo';

/** Starts a program that calls `echo` and then waits for the signal, in a process that was not a spare. */
type Start = (arena: StdioArena, options: RunOptions) => Promise<unknown>;

// A grant makes it start a new process: a spare could not be distinguished from the spare that remains.
const startTypescript: Start = (arena, options) =>
  arena.run(`${call(echo)}; await new Promise((go) => setTimeout(go, 20_000));`, {
    permissions: { read: [arena.places.readable] },
    ...options,
  });

/** Runs a program that waits, and calls `look` with the id of its process meanwhile. */
export async function inspectProcess(
  arena: StdioArena,
  look: (pid: number) => void,
  start = startTypescript,
): Promise<void> {
  const before = new Set(sandboxesOf(arena.pid));
  const caller = new AbortController();
  const running = start(arena, { allowedTools: [echo], request: { signal: caller.signal } });
  const cancelled = assert.rejects(running);
  // When a program calls a tool, its process has opened everything that it needs to start.
  const hasCalled = until(async () => (await arena.upstreamCalls()).includes('echo {}'));
  await Promise.race([hasCalled, cancelled]);
  const started = sandboxesOf(arena.pid).filter((each) => !before.has(each));
  try {
    look(started.map((each) => treeOf(each).at(-1) ?? each).find(runsBootstrap) ?? 0);
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
