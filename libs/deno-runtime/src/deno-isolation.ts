import { chooseIsolation, type ChosenIsolation, type Isolation } from '@code-executor/isolation';

import { isolatedDeno } from './deno-command.js';

const script = new URL('../assets/probe.js', import.meta.url);
const limits = { heapMb: 128, memoryMb: 256, cpuSeconds: 10 };
const grants = { read: [], write: [] };

/**
 * Determines, once per Deno binary, which isolation works here.
 *
 * @throws CodeExecutorError `failed_precondition` if `strict` was requested and does not work.
 */
export function chooseDenoIsolation(denoPath: string, isolation: Isolation): Promise<ChosenIsolation> {
  const deno = isolatedDeno('strict', { denoPath, script, limits, grants });
  return chooseIsolation(isolation, { ...deno, says: 'strict isolation works\n' });
}
