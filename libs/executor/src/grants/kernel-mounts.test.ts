import { expect, test } from '@jest/globals';

import { kernelMountsAt } from './kernel-mounts.js';

const mountinfo = `21 28 0:20 / /sys rw,nosuid,nodev,noexec,relatime shared:7 - sysfs sysfs rw
22 28 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:14 - proc proc rw
28 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
40 28 0:40 / /srv/a\\040b/proc rw,relatime - proc proc rw
41 28 0:41 / /srv/a\\040b/sys rw master:1 propagate_from:2 - sysfs none rw
42 41 0:42 / /srv/a\\040b/sys/fs/cgroup rw - cgroup2 cgroup2 rw
43 28 0:43 / /srv/data rw - tmpfs - rw
45 28 0:45 / /dev rw - devtmpfs udev rw
46 45 0:46 / /dev/shm rw - tmpfs tmpfs rw
44 28 0:44 / /srv/procession rw - ext4 proc rw
`;

test.each([
  ['/srv', ['/srv/a b/proc', '/srv/a b/sys']],
  ['/srv/a b/sys/kernel', ['/srv/a b/sys']],
  ['/srv/a b/proc', ['/srv/a b/proc']],
  ['/srv/a b/sys/fs/cgroup/user', ['/srv/a b/sys/fs/cgroup']],
  ['/srv/data', []],
  ['/dev/shm/work', []],
  ['/dev/disk', ['/dev']],
  ['/dev', ['/dev']],
  ['/home/user', []],
])('in and around %s, the file systems of the kernel are %j', (place, mounts) => {
  expect(kernelMountsAt(place, mountinfo)).toEqual(mounts);
});

test('finds the file systems of this machine', () => {
  expect(kernelMountsAt('/proc/self')).toEqual(['/proc']);
});
