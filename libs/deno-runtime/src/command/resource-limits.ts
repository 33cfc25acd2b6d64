import type { DenoLimits } from './deno-command.js';

/** `VmData` of an idle Deno is about 560 MB, most of it the JIT's code range. */
const idleDataMb = 512;
const openFiles = 256;
/**
 * A shell line that sets resource limits and becomes the command in its arguments. One `ulimit` per
 * option: dash ignores the rest of `ulimit -d N -c 0` without a word.
 */
export function limitedCommand(
  limits: DenoLimits,
  maxFileBytes: number,
  command: readonly string[],
): string[] {
  const script = [
    'ulimit -c 0',
    `ulimit -d ${(idleDataMb + limits.memoryMb) * 1024}`,
    // In blocks of 512 bytes.
    `ulimit -f ${maxFileBytes / 512}`,
    `ulimit -n ${openFiles}`,
    `ulimit -t ${limits.cpuSeconds}`,
    'exec "$0" "$@"',
  ].join(' && ');
  return ['-c', script, ...command];
}

/** The only environment that the shell and its tools get; Deno gets less. */
export const shellEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin' };
