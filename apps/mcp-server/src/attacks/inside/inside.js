/* global Deno */
/**
 * Runs as the entry script of a sandbox whose runtime permits everything (`-A`): what an attacker could
 * do who got past Deno. It makes any system call through libc. Its argument says what to try; it prints
 * one line of JSON.
 */
const libc = Deno.dlopen('libc.so.6', {
  syscall: { parameters: ['i64', 'i64', 'i64', 'i64', 'i64', 'i64', 'i64'], result: 'i64' },
  __errno_location: { parameters: [], result: 'pointer' },
}).symbols;
const column = Deno.build.arch === 'x86_64' ? 0 : 1;
const exitGroup = [231, 94][column];
const SIGCHLD = 17;
const NEW_USER = 0x10000000;

/** Makes a system call; resolves with its result, or with the number of its error below zero. */
function call(number, ...args) {
  const padded = [...args, 0, 0, 0, 0, 0, 0].slice(0, 6).map(BigInt);
  const result = libc.syscall(BigInt(number), ...padded);
  if (result !== -1n) return Number(result);
  return -new Deno.UnsafePointerView(libc.__errno_location()).getInt32();
}

function pointer(bytes) {
  return Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes));
}

/** Numbers on x64 and arm64, and arguments that the kernel would accept or answer otherwise than the filter. */
const systemCalls = {
  socket: [41, 198, 1, 1],
  'socket (inet)': [41, 198, 2, 1],
  'socket (netlink)': [41, 198, 16, 3],
  connect: [42, 203, 0, 0, 0],
  bind: [49, 200, 0, 0, 0],
  listen: [50, 201, 0, 1],
  accept: [43, 202, 0, 0, 0],
  accept4: [288, 242, 0, 0, 0, 0],
  clone: [56, 220, SIGCHLD],
  'clone (name spaces)': [56, 220, SIGCHLD + NEW_USER],
  fork: [57, null],
  execveat: [322, 281, -1, 0, 0, 0, 0],
  // To attach; to be traced would stop the process where there is no filter.
  ptrace: [101, 117, 16, 0],
  process_vm_readv: [310, 270, 1, 0, 0, 0, 0, 0],
  process_vm_writev: [311, 271, 1, 0, 0, 0, 0, 0],
  kcmp: [312, 272, 1, 1, 0, 0, 0],
  pidfd_open: [434, 434, 1, 0],
  pidfd_getfd: [438, 438, 0, 0, 0],
  pidfd_send_signal: [424, 424, 0, 0, 0, 0],
  kill: [62, 129, 1, 0],
  tkill: [200, 130, 1, 0],
  unshare: [272, 97, 0],
  'unshare (user)': [272, 97, NEW_USER],
  setns: [308, 268, -1, 0],
  mount: [165, 40, 0, 0, 0, 0, 0],
  umount2: [166, 39, 0, 0],
  pivot_root: [155, 41, 0, 0],
  chroot: [161, 51, 0],
  open_tree: [428, 428, -1, 0, 0],
  fsopen: [430, 430, 0, 0],
  mount_setattr: [442, 442, -1, 0, 0, 0, 0],
  open_by_handle_at: [304, 265, -1, 0, 0],
  name_to_handle_at: [303, 264, -1, 0, 0, 0, 0],
  mknodat: [259, 33, -1, 0, 0, 0],
  bpf: [321, 280, 0, 0, 0],
  perf_event_open: [298, 241, 0, 0, 0, 0, 0],
  userfaultfd: [323, 282, 0x7fffffff],
  io_uring_setup: [425, 425, 0, 0],
  io_uring_enter: [426, 426, -1, 0, 0, 0, 0],
  io_uring_register: [427, 427, -1, 0, 0, 0],
  keyctl: [250, 219, 0, -3, 0],
  add_key: [248, 217, 0, 0, 0, 0],
  request_key: [249, 218, 0, 0, 0, 0],
  kexec_load: [246, 104, 0, 0, 0, 0],
  init_module: [175, 105, 0, 0, 0],
  finit_module: [313, 273, -1, 0, 0],
  reboot: [169, 142, 0, 0, 0, 0],
  syslog: [103, 116, 10, 0, 0],
  personality: [135, 92, 0xffffffff],
  acct: [163, 89, 0],
  swapon: [167, 224, 0, 0],
  quotactl: [179, 60, 0, 0, 0, 0],
  fanotify_init: [300, 262, 0, 0],
  settimeofday: [164, 170, 0, 0],
  clock_settime: [227, 112, 0, 0],
  sethostname: [170, 161, 0, -1],
  shmget: [29, 194, 0, 4096, 0o1600],
  semget: [64, 190, 0, 1, 0o1600],
  msgget: [68, 186, 0, 0o1600],
  mq_open: [240, 180, 0, 0, 0, 0],
  vmsplice: [278, 75, 1, 0, 0, 0],
  clone3: [435, 435, 0, 0],
};

/** Per call, the number of the error that it met, or its result. */
function tryCalls() {
  const results = {};
  for (const [name, [x64, arm64, ...args]] of Object.entries(systemCalls)) {
    const number = [x64, arm64][column];
    if (number === null) continue;
    const result = call(number, ...args);
    // A child, where there is no wall: it must not go on as a second attacker.
    if (result === 0 && /^(?:fork|clone)/.test(name)) call(exitGroup, 0);
    results[name] = result;
  }
  return results;
}

function attempt(make) {
  try {
    return make() ?? 'done';
  } catch (error) {
    return String(error?.code ?? error?.message ?? error);
  }
}

function look() {
  const paths = [
    '/etc',
    '/etc/passwd',
    '/home',
    '/root',
    '/usr/bin',
    '/bin',
    '/sys',
    '/dev',
    '/dev/null',
    '/proc/1',
    '/proc/self/root',
    '/proc/self/fd',
    '/var',
    '/run',
    '/mnt',
    ...Deno.args.slice(1),
  ];
  return {
    root: [...Deno.readDirSync('/')].map(({ name }) => name).sort(),
    found: paths.filter((path) => attempt(() => Deno.lstatSync(path).size) !== 'ENOENT'),
    proc: [...Deno.readDirSync('/proc')].map(({ name }) => name),
    self: [...Deno.readDirSync('/proc/self')].map(({ name }) => name),
    temp: [...Deno.readDirSync('/tmp')].map(({ name }) => name),
    host: Deno.hostname(),
    user: [Deno.uid(), Deno.gid()],
    cwd: Deno.cwd(),
    environment: Object.keys(Deno.env.toObject()).sort(),
    processes: [Deno.pid, Deno.ppid],
    interfaces: attempt(() =>
      Deno.networkInterfaces()
        .map(({ name }) => name)
        .join(),
    ),
    command: attempt(() => new Deno.Command('/app/deno', { args: ['--version'] }).outputSync().code),
  };
}

function write() {
  const bytes = new Uint8Array(1 << 20).fill(1);
  const places = [
    '/made',
    '/app/made',
    '/app/deno',
    '/app/rt/inside.js',
    '/app/rt/made',
    '/proc/made',
    '/lib/made',
    '/proc/self/exe',
  ];
  const answers = places.map((path) => [
    path,
    attempt(() => Deno.writeFileSync(path, bytes.subarray(0, 1), { append: true })),
  ]);
  const large = attempt(() => {
    const file = Deno.openSync('/tmp/large', { create: true, write: true });
    Deno.addSignalListener('SIGXFSZ', () => {});
    for (let i = 0; i < 9; i++) file.writeSync(bytes);
  });
  attempt(() => Deno.removeSync('/tmp/large'));
  let megabytes = 0;
  const full = attempt(() => {
    for (; megabytes < 100; megabytes++) Deno.writeFileSync(`/tmp/${megabytes}`, bytes);
  });
  return { answers, large, megabytes, full };
}

/** RLIMIT_DATA, _FSIZE, _NOFILE, _CPU, _CORE: none can be raised. */
function raiseLimits() {
  const prlimit = [302, 261][column];
  return [2, 1, 7, 0, 4].map((resource) =>
    call(prlimit, 0, resource, pointer(new BigInt64Array([-1n, -1n])), 0),
  );
}

/** Connections to what listens on the machine. */
async function connect(port, path, abstractPath) {
  const answers = [];
  for (const options of [
    { port: Number(port), hostname: '127.0.0.1' },
    { port: 53, hostname: '10.255.255.53' },
    { transport: 'unix', path },
    { transport: 'unix', path: `\0${abstractPath}` },
  ]) {
    answers.push(
      await Deno.connect(options).then(
        () => 'connected',
        (error) => String(error.code ?? error.message),
      ),
    );
  }
  return answers;
}

const tasks = {
  calls: tryCalls,
  look,
  write,
  limits: raiseLimits,
  connect: () => connect(...Deno.args.slice(1)),
  // TIOCSTI puts a character into the terminal's input, as if somebody had typed it.
  terminal: () => [
    call([16, 29][column], 0, 0x5412, pointer(new Uint8Array([65]))),
    call([16, 29][column], 2, 0x5412, pointer(new Uint8Array([65]))),
  ],
  // The x32 interface has numbers of its own, which pass by a filter that does not know them.
  x32: () => call(0x40000000 + 39),
  spin: () => {
    for (;;);
  },
};
console.log(JSON.stringify(await tasks[Deno.args[0]]()));
Deno.exit(0);
