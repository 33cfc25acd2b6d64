import assert from 'node:assert/strict';

import type { ProgramAttack } from '../arena/program-attack.js';
import { eachRefused } from './attempts.js';

/** A program that uses every possible descriptor number in every way that needs no permission, and prints what it could read. */
const useDescriptors = `
  const read = [];
  const quiet = (stream) => stream.on("error", () => undefined);
  const { internalBinding } = process.getBuiltinModule("module").createRequire("file:///x")("internal/test/binding");
  const { Pipe } = internalBinding("pipe_wrap");
  const { TCP } = internalBinding("tcp_wrap");
  const net = process.getBuiltinModule("net"), fs = process.getBuiltinModule("fs"), tty = process.getBuiltinModule("tty");
  for (let fd = 3; fd <= 64; fd++) {
    for (const use of [
      () => { const socket = quiet(new net.Socket({ fd, readable: true, writable: true })); socket.on("data", (data) => read.push(fd + ": " + data)); socket.write("XFD"); },
      () => { const pipe = new Pipe(0); pipe.open(fd); const socket = quiet(new net.Socket({ handle: pipe })); socket.on("data", (data) => read.push(fd + ": " + data)); socket.write("XFD"); },
      () => { new TCP(0).open(fd); },
      () => { quiet(new tty.ReadStream(fd)).on("data", (data) => read.push(fd + ": " + data)); },
      () => { quiet(new tty.WriteStream(fd)).write("XFD"); },
      () => { const bytes = new Uint8Array(64); read.push(fd + ": " + new TextDecoder().decode(bytes.subarray(0, fs.readSync(fd, bytes)))); },
      () => { fs.writeSync(fd, "XFD"); },
      () => { fs.ftruncateSync(fd, 0); },
      () => { read.push(fd + ": " + fs.readFileSync("/dev/fd/" + fd)); },
      () => { read.push(fd + ": " + fs.readFileSync(fd)); },
      () => { quiet(fs.createReadStream("", { fd })).on("data", (data) => read.push(fd + ": " + data)); },
      () => { quiet(fs.createWriteStream("", { fd })).write("XFD"); },
    ]) try { use(); } catch {}
  }
  await new Promise((go) => setTimeout(go, 500));
  console.log(JSON.stringify(read));
  Deno.exit(0);`;

/** Attacks with other processes, native code and inherited descriptors. */
export const processes: readonly ProgramAttack[] = [
  {
    id: 'TS-25',
    what: 'load native code: Deno.dlopen, process.dlopen, N-API, SQLite extensions, raw pointers, WASI',
    stoppedBy: 'Deno; OS',
    attack: eachRefused(
      ({ secrets }) => [
        'Deno.dlopen("/lib/x86_64-linux-gnu/libc.so.6", { getpid: { parameters: [], result: "i32" } })',
        'process.dlopen({ exports: {} }, "/lib/x86_64-linux-gnu/libc.so.6")',
        'process.getBuiltinModule("module")._extensions[".node"]({ exports: {} }, "/lib/libc.so.6")',
        '(await node("module")).createRequire("file:///x")("/lib/x.node")',
        'Deno.UnsafePointer.create(1n)',
        'Deno.UnsafePointerView.getCString(1n)',
        'new Deno.UnsafeFnPointer(1n, { parameters: [], result: "void" }).call()',
        'new Deno.UnsafeCallback({ parameters: [], result: "void" }, () => undefined)',
        'new ((await node("sqlite")).DatabaseSync)(":memory:", { allowExtension: true })',
        'new ((await node("sqlite")).DatabaseSync)(":memory:").loadExtension("/x.so")',
        `new ((await node("sqlite")).DatabaseSync)(":memory:").prepare("select load_extension('/x.so')").get()`,
        `new ((await node("sqlite")).DatabaseSync)(":memory:").exec("ATTACH '${secrets}/made' AS x")`,
        `new ((await node("sqlite")).DatabaseSync)(":memory:").exec("VACUUM INTO '${secrets}/made'")`,
        `new ((await node("sqlite")).DatabaseSync)("file:${secrets}/made?mode=memory")`,
        '(await node("crypto")).setEngine("/x.so")',
        'new ((await node("wasi")).WASI)({ version: "preview1", preopens: { "/": "/" } })',
      ],
      /Requires (?:ffi|read|write) access|expected|not authorized|not allowed|attached databases|Not implemented|failed to open preopen|is not a function|Cannot/,
    ),
  },
  {
    id: 'PRC-01',
    what: 'start a process in every way: Deno.Command, child_process, cluster, a module that does',
    stoppedBy: 'Deno; OS',
    attack: eachRefused(
      () => [
        'new Deno.Command("/bin/sh", { args: ["-c", "id"] }).outputSync()',
        'new Deno.Command("/bin/sh").output()',
        'new Deno.Command("/bin/deno", { args: ["eval", "1"] }).spawn()',
        ...[
          'execSync("id")',
          'execFileSync("/bin/ls")',
          'spawnSync("/bin/ls").pid.x',
          'spawn("/bin/ls")',
          'exec("id")',
          'fork("/x.js")',
        ].map((call) => `(await node("child_process")).${call}`),
        '(await node("child_process")).execSync("id", { shell: "/bin/sh", env: {} })',
        '(await node("child_process")).spawnSync("/bin/ls", { env: {}, shell: false }).error.message.x',
        '(await node("cluster")).default.fork()',
        '(await node("test")).run({ files: ["/x.js"] }).x.y',
      ],
      /Requires (?:run|env|read|sys) access|undefined|not a function/,
    ),
  },
  {
    id: 'PRC-02',
    what: 'signal the server, its parent, every process, the group',
    stoppedBy: 'Deno; OS',
    attack: eachRefused(
      () => [
        // A harmless signal, because without the wall it would reach every process of the machine.
        'Deno.kill(Deno.ppid, "SIGURG")',
        'Deno.kill(1, "SIGURG")',
        'Deno.kill(-1, "SIGURG")',
        'process.kill(process.ppid, "SIGURG")',
        'process.kill(1, 23)',
        'process.kill(-1, 23)',
        'process.kill(0, 23)',
        'process.kill(-process.pid, 23)',
      ],
      /Requires (?:run|env) access|undefined|Cannot|not a function/,
    ),
  },
  {
    id: 'TS-27',
    what: 'use a Worker to get more: a file, a data: module that reads one, permissions of its own, its globals',
    stoppedBy: 'the bootstrap removes Worker; Deno; limits (a thread needs more memory than there is)',
    async attack({ run, places: { secrets } }) {
      const reads = encodeURIComponent(
        `import t from "file://${secrets}/secret.txt" with { type: "text" }; postMessage(t)`,
      );
      const thread = 'new (process.getBuiltinModule("worker_threads").Worker)';
      for (const worker of [
        `new Worker("file://${secrets}/secret.js", { type: "module" })`,
        'new (Object.getPrototypeOf(globalThis).Worker ?? Deno[Deno.internal].core.ops.Worker)("data:text/javascript,1", { type: "module" })',
        `${thread}(new URL("file://${secrets}/secret.js"))`,
        `${thread}(new URL("data:text/javascript,${reads}"))`,
        `${thread}(new URL("data:text/javascript,postMessage(Deno.env.toObject())"))`,
        `${thread}(new URL("data:text/javascript,postMessage(typeof caches + typeof Deno[Deno.internal])"))`,
        `${thread}("postMessage(1)", { eval: true, deno: { permissions: { read: true } } })`,
        `${thread}("postMessage(1)", { eval: true, deno: { permissions: "inherit" } })`,
        `${thread}("postMessage(process.env)", { eval: true, env: process.getBuiltinModule("worker_threads").SHARE_ENV })`,
      ]) {
        const report = await run(
          `const worker = ${worker};
           return await new Promise((resolve) => {
             worker.onmessage = ({ data }) => resolve(data); worker.onerror = () => resolve("refused");
             worker.on?.("message", resolve); worker.on?.("error", () => resolve("refused"));
           });`,
          { timeoutMs: 5000 },
        );
        assert.ok(!report.success || report.result === 'refused', JSON.stringify(report));
      }
    },
  },
  {
    id: 'TS-33',
    what: 'use descriptors that the server was started with: sockets, terminals, pipes and files by number',
    stoppedBy: 'the process gets /dev/null instead',
    async attack({ run }) {
      const report = await run(useDescriptors, { timeoutMs: 5000 });
      const output = report.output.trim();
      // Some of the descriptors belong to the runtime, and using them may end it.
      if (output !== '') assert.doesNotMatch(output, /CANARY/);
    },
  },
];
