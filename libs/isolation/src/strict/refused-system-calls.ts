/**
 * System calls that sandboxed processes are refused, as `name: [x64, arm64]`; `null` where the
 * architecture has no such call. Numbers are those of the kernel's `unistd_64.h` and
 * `asm-generic/unistd.h`, which never change.
 */
export const refusedSystemCalls: Record<string, readonly [x64: number | null, arm64: number | null]> = {
  // Other processes: tracing, memory, handles, signals.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  kcmp: [312, 272],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  pidfd_send_signal: [424, 424],
  kill: [62, 129],
  tkill: [200, 130],
  rt_sigqueueinfo: [129, 138],
  rt_tgsigqueueinfo: [297, 240],
  // New processes. `clone` is judged by its flags, `clone3` answers ENOSYS; see seccomp-filter.ts.
  fork: [57, null],
  vfork: [58, null],
  execveat: [322, 281],
  // Sockets. The sandbox talks over its stdin and stdout only.
  socket: [41, 198],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
  // Mounts, roots and namespaces.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  unshare: [272, 97],
  setns: [308, 268],
  // Links and extended attributes, which could be traps for programs that later open a granted folder.
  link: [86, null],
  linkat: [265, 37],
  symlink: [88, null],
  symlinkat: [266, 36],
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  removexattr: [197, 14],
  lremovexattr: [198, 15],
  fremovexattr: [199, 16],
  // Files by handle, devices, quotas, accounting; where things are mounted from.
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  mknod: [133, null],
  mknodat: [259, 33],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  acct: [163, 89],
  swapon: [167, 224],
  swapoff: [168, 225],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  statmount: [457, 457],
  listmount: [458, 458],
  // Kernel: keys, programs, modules, tracing, clocks, power.
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  syslog: [103, 116],
  personality: [135, 92],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  uselib: [134, null],
  modify_ldt: [154, null],
  iopl: [172, null],
  ioperm: [173, null],
  vhangup: [153, 58],
  // Shared memory, semaphores and queues between processes; page gifts.
  shmget: [29, 194],
  shmat: [30, 196],
  shmctl: [31, 195],
  shmdt: [67, 197],
  semget: [64, 190],
  semop: [65, 193],
  semctl: [66, 191],
  semtimedop: [220, 192],
  msgget: [68, 186],
  msgsnd: [69, 189],
  msgrcv: [70, 188],
  msgctl: [71, 187],
  mq_open: [240, 180],
  mq_unlink: [241, 181],
  mq_timedsend: [242, 182],
  mq_timedreceive: [243, 183],
  mq_notify: [244, 184],
  mq_getsetattr: [245, 185],
  vmsplice: [278, 75],
};

const S_ISUID_S_ISGID_S_ISVTX = 0o7000;
const RENAME_WHITEOUT = 4;

/**
 * System calls that are refused if an argument has one of these bits, as `name: [x64, arm64, argument, bits]`. All
 * these arguments are 32 bits wide. A mode is checked whatever the flags are, because libc passes none unless the call
 * creates a file.
 */
export const refusedByArgument: Record<
  string,
  readonly [x64: number | null, arm64: number | null, argument: number, bits: number]
> = {
  // Files that run with their owner's rights.
  chmod: [90, null, 1, S_ISUID_S_ISGID_S_ISVTX],
  fchmod: [91, 52, 1, S_ISUID_S_ISGID_S_ISVTX],
  fchmodat: [268, 53, 2, S_ISUID_S_ISGID_S_ISVTX],
  fchmodat2: [452, 452, 2, S_ISUID_S_ISGID_S_ISVTX],
  open: [2, null, 2, S_ISUID_S_ISGID_S_ISVTX],
  openat: [257, 56, 3, S_ISUID_S_ISGID_S_ISVTX],
  creat: [85, null, 1, S_ISUID_S_ISGID_S_ISVTX],
  mkdir: [83, null, 1, S_ISUID_S_ISGID_S_ISVTX],
  mkdirat: [258, 34, 2, S_ISUID_S_ISGID_S_ISVTX],
  // It leaves a device file behind.
  renameat2: [316, 276, 4, RENAME_WHITEOUT],
};

/**
 * System calls that answer ENOSYS, because their arguments lie in memory, where a filter cannot see them. libc then
 * uses older calls instead, which a filter can check.
 */
export const absentSystemCalls: Record<string, readonly [x64: number, arm64: number]> = {
  clone3: [435, 435],
  openat2: [437, 437],
};

/** The newest system call that this table takes into account, `mseal`. All later ones answer ENOSYS. */
export const newestSystemCall = 462;
