/* global Deno */
import { absentCalls, systemCalls } from './system-calls.js';

/**
 * Runs as the entry script of a sandbox whose runtime permits everything (`-A`), like an attacker who has compromised
 * Deno. It can make any system call. Its argument says what to try; it prints one line of JSON.
 */
const libc = Deno.dlopen('libc.so.6', {
  mmap: { parameters: ['usize', 'usize', 'i32', 'i32', 'i32', 'i64'], result: 'pointer' },
}).symbols;
const column = Deno.build.arch === 'x86_64' ? 0 : 1;
const exitGroup = [231, 94][column];

/** A function from these bytes of machine code. */
function machineCode(bytes, definition) {
  const [READ_WRITE_EXECUTE, PRIVATE_ANONYMOUS] = [7, 0x22];
  const address = libc.mmap(0n, 4096n, READ_WRITE_EXECUTE, PRIVATE_ANONYMOUS, -1, 0n);
  new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(address, bytes.length)).set(bytes);
  return new Deno.UnsafeFnPointer(address, definition);
}

/**
 * Moves the number and six arguments to where the kernel expects them, and returns its result unchanged. libc's
 * `syscall` would leave the error in `errno`, which the runtime may change before we can read it.
 */
const systemCall = machineCode(
  [
    // mov rax,rdi; mov rdi,rsi; mov rsi,rdx; mov rdx,rcx; mov r10,r8; mov r8,r9; mov r9,[rsp+8]; syscall; ret
    new Uint8Array([
      0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0x48, 0x89, 0xd6, 0x48, 0x89, 0xca, 0x4d, 0x89, 0xc2, 0x4d, 0x89,
      0xc8, 0x4c, 0x8b, 0x4c, 0x24, 0x08, 0x0f, 0x05, 0xc3,
    ]),
    // mov x8,x0; mov x0,x1; mov x1,x2; mov x2,x3; mov x3,x4; mov x4,x5; mov x5,x6; svc #0; ret
    new Uint8Array(
      new Uint32Array([
        0xaa0003e8, 0xaa0103e0, 0xaa0203e1, 0xaa0303e2, 0xaa0403e3, 0xaa0503e4, 0xaa0603e5, 0xd4000001,
        0xd65f03c0,
      ]).buffer,
    ),
  ][column],
  { parameters: ['i64', 'i64', 'i64', 'i64', 'i64', 'i64', 'i64'], result: 'i64' },
);

/** Makes a system call; returns its result, or the negative error number. */
function call(number, ...args) {
  const padded = [...args, 0, 0, 0, 0, 0, 0].slice(0, 6).map(BigInt);
  return Number(systemCall.call(BigInt(number), ...padded));
}

function pointer(bytes) {
  return Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes));
}

/** For each call, its error number or its result. */
function tryCalls() {
  const results = {};
  for (const [name, [x64, arm64, ...args]] of Object.entries({ ...systemCalls, ...absentCalls })) {
    const number = [x64, arm64][column];
    if (number === null) continue;
    const result = call(number, ...args);
    // A child process, which exists only without the wall, must not continue as a second attacker.
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
    temp: [...Deno.readDirSync('/app/scratch')].map(({ name }) => name),
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
    const file = Deno.openSync('/app/scratch/large', { create: true, write: true });
    Deno.addSignalListener('SIGXFSZ', () => {});
    for (let i = 0; i < 9; i++) file.writeSync(bytes);
  });
  attempt(() => Deno.removeSync('/app/scratch/large'));
  let megabytes = 0;
  const full = attempt(() => {
    for (; megabytes < 100; megabytes++) Deno.writeFileSync(`/app/scratch/${megabytes}`, bytes);
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

/** Connects to listeners on the machine. */
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
  // TIOCSTI puts a character into the terminal's input, as if it had been typed.
  terminal: () => [
    call([16, 29][column], 0, 0x5412, pointer(new Uint8Array([65]))),
    call([16, 29][column], 2, 0x5412, pointer(new Uint8Array([65]))),
  ],
  // The x32 interface has its own numbers, which bypass a filter that does not know them.
  x32: () => call(0x40000000 + 39),
  // So does the i386 interface: the number of getpid there is writev in the x64 table.
  i386: () => {
    const code = new Uint8Array([0x53, 0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0x5b, 0xc3]);
    return machineCode(code, { parameters: [], result: 'i32' }).call();
  },
  // Not tried with the others: without the wall, the child would continue in the memory of this process.
  vfork: () => {
    const result = column === 0 ? call(58) : -1;
    if (result === 0) call(exitGroup, 0);
    return [result];
  },
  spin: () => {
    for (;;);
  },
  // This process is killed together with the pipe, so only the child can be left.
  leaveChild: async () => {
    const args = ['eval', `// ${Deno.args[1]}\nsetTimeout(() => {}, 600_000)`];
    new Deno.Command(Deno.execPath(), { args, stdin: 'null', stdout: 'null' }).spawn();
    console.log('left');
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  },
};
console.log(JSON.stringify(await tasks[Deno.args[0]]()));
Deno.exit(0);
