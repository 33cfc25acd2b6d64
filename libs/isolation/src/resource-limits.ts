/** What the kernel holds a process to. */
export interface ResourceLimits {
  /** Memory for its data (`RLIMIT_DATA`), in MiB. */
  dataMb: number;
  /** CPU seconds after which the kernel ends the process, even if the server is gone or the run's clock stands still. */
  cpuSeconds: number;
}

const openFiles = 256;
/**
 * A shell line that sets resource limits and becomes the command in its arguments. One `ulimit` per
 * option: dash ignores the rest of `ulimit -d N -c 0` without a word.
 */
export function limitedCommand(
  limits: ResourceLimits,
  maxFileBytes: number,
  command: readonly string[],
): string[] {
  const script = [
    'ulimit -c 0',
    `ulimit -d ${limits.dataMb * 1024}`,
    // In blocks of 512 bytes.
    `ulimit -f ${maxFileBytes / 512}`,
    `ulimit -n ${openFiles}`,
    `ulimit -t ${limits.cpuSeconds}`,
    'exec "$0" "$@"',
  ].join(' && ');
  return ['-c', script, ...command];
}

/** The only environment that the shell and its tools get; programs get their own. */
export const shellEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin' };
