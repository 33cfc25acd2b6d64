import { readFileSync } from 'node:fs';

import { isInside } from './names-behind.js';

/** File systems of the kernel, by their names in /proc/self/mountinfo: writing there changes the machine. */
const kernelTypes: ReadonlySet<string> = new Set(
  [
    'proc sysfs devtmpfs devpts cgroup cgroup2 cpuset configfs debugfs tracefs securityfs selinuxfs smackfs',
    'bpf pstore efivarfs fusectl mqueue binfmt_misc resctrl nsfs nfsd rpc_pipefs',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Where the kernel's file systems are mounted, inside a place (without links) and around it. A folder that holds the
 * root of another system, for a container or a build, contains them, too. If one lies inside another, only the outer one
 * counts.
 *
 * @param mountinfo - The text of /proc/self/mountinfo.
 */
export function kernelMountsAt(place: string, mountinfo = readMounts()): string[] {
  const mounts = mountinfo
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [, , , , path = ''] = line.split(' ', 5);
      const [type = ''] = line.slice(line.indexOf(' - ') + 3).split(' ', 1);
      return { path: unescaped(path), isKernel: kernelTypes.has(type) };
    });
  // The innermost mount around the place counts, and the last of several at one path: /dev/shm lies in memory.
  const around = mounts
    .filter(({ path }) => isInside(place, path))
    .sort((one, other) => one.path.length - other.path.length)
    .at(-1);
  const within = mounts.filter(({ path }) => path !== place && isInside(path, place));
  const near = around ? [around, ...within] : within;
  return outermost(near.filter(({ isKernel }) => isKernel).map(({ path }) => path));
}

/** The paths that are not inside another one, without duplicates. */
export function outermost(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)];
  return unique.filter((path) => !unique.some((other) => other !== path && isInside(path, other)));
}

function readMounts(): string {
  return readFileSync('/proc/self/mountinfo', 'utf8');
}

/** A blank, a tab, a line end and a backslash are written as `\040` and so on. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_text, octal: string) => String.fromCharCode(parseInt(octal, 8)));
}
