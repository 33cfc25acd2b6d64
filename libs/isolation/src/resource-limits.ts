/** Limits that the kernel enforces for a process. */
export interface ResourceLimits {
  /** Memory for its data (`RLIMIT_DATA`), in MiB. */
  dataMb: number;
  /** CPU seconds after which the kernel ends the process, even if the server is gone or the run's clock stands still. */
  cpuSeconds: number;
}

const openFiles = 256;
/**
 * Arguments for `sh`: it sets the resource limits and then replaces itself with the command. Each option has its own
 * `ulimit`, because dash silently ignores the rest of `ulimit -d N -c 0`.
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

/** The whole environment of the shell and of system tools; programs get their own. */
export const shellEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin' };
