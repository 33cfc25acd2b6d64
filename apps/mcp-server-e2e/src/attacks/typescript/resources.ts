import assert from 'node:assert/strict';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { peakWhile, sandboxDisk, sandboxMemory } from '../arena/measure.js';
import type { ProgramAttack } from '../arena/program-attack.js';

/** `executors.typescript.memoryMb`, and the resident memory that it allows: 1.2 times as much. */
const memoryMb = 256;
const maxResidentMb = memoryMb * 1.2;
/** A program that allocates until the memory is full. */
const fill = (make: string, before = '') =>
  `${before}const all = []; for (let i = 0; ; i++) all.push(${make});`;

const megabyte = 'new Uint8Array(1 << 20).fill(1)';
const memoryEaters: Record<string, readonly string[]> = {
  heap: [
    fill('{ i, s: [i] }'),
    fill('("x" + i).repeat(5000).split("").join("y")'),
    'const all = new Map(); for (let i = 0; ; i++) all.set(() => i, new Proxy({}, {}));',
  ],
  buffers: [
    fill(megabyte),
    fill('new Uint8Array(new SharedArrayBuffer(1 << 20)).fill(1)'),
    'const b = new ArrayBuffer(0, { maxByteLength: 4e9 }); for (let n = 1; ; n++) { b.resize(n << 20); new Uint8Array(b, (n - 1) << 20).fill(1); }',
    'const b = new SharedArrayBuffer(0, { maxByteLength: 2e9 }); for (let n = 1; ; n++) { b.grow(n << 20); new Uint8Array(b, (n - 1) << 20).fill(1); }',
    ...['{ initial: 1, maximum: 65536 }', '{ initial: 1, maximum: 65536, shared: true }'].map(
      (options) =>
        `const m = new WebAssembly.Memory(${options}); for (;;) { m.grow(16); new Uint8Array(m.buffer, m.buffer.byteLength - (1 << 20)).fill(1); }`,
    ),
    fill(`structuredClone(one)`, `const one = ${megabyte};`),
    fill('Buffer.alloc(1 << 20, 1)', 'const { Buffer } = await import("node:buffer");'),
  ],
  native: [
    fill(`new Blob([${megabyte}])`),
    fill('encoder.encode(text)', 'const encoder = new TextEncoder(), text = "x".repeat(1 << 20);'),
    'const { DatabaseSync } = await import("node:sqlite"); const d = new DatabaseSync(":memory:"); d.exec("create table t(x)"); const s = d.prepare("insert into t values (zeroblob(1000000))"); for (;;) s.run();',
    `const { port1 } = new MessageChannel(); const one = ${megabyte}; for (;;) port1.postMessage(one);`,
    `const c = new BroadcastChannel("x"), d = new BroadcastChannel("x"); const one = ${megabyte}; for (;;) c.postMessage(one);`,
    fill('new ImageData(2000, 2000)'),
    fill('randomBytes(1 << 20)', 'const { randomBytes } = await import("node:crypto");'),
    'const { scryptSync } = await import("node:crypto"); scryptSync("a", "b", 64, { N: 2 ** 20, r: 8, maxmem: 2 ** 31 });',
    'const { brotliCompressSync, brotliDecompressSync } = await import("node:zlib"); const bomb = brotliCompressSync(new Uint8Array(1 << 28)); const all = []; for (;;) all.push(brotliDecompressSync(bomb));',
  ],
};

function exhaustsMemory(programs: readonly string[]): ProgramAttack['attack'] {
  return async (arena) => {
    const { pid } = arena;
    for (const program of programs) {
      const { value: report, peak } = await peakWhile(arena.run(program, { timeoutMs: 15_000 }), () =>
        sandboxMemory(pid),
      );
      assert.ok(peak <= maxResidentMb, `${Math.round(peak)} MiB: ${program}`);
      assert.equal(report.success, false, program);
      assert.match(
        report.errorCode ?? '',
        /^(?:out_of_memory|user_error|ended_early|deadline_exceeded)$/,
        program,
      );
    }
  };
}

/** Attacks on memory, time and disk space. */
export const resources: readonly ProgramAttack[] = [
  {
    id: 'TS-41',
    what: 'fill the heap with objects, strings, maps, closures, one large number',
    stoppedBy: 'limits (V8 heap, RLIMIT_DATA)',
    attack: exhaustsMemory(memoryEaters['heap'] ?? []),
  },
  {
    id: 'LIM-01',
    what: 'fill memory outside the heap: typed arrays, shared and growing buffers, WebAssembly memory, clones',
    stoppedBy: 'limits (RLIMIT_DATA)',
    attack: exhaustsMemory(memoryEaters['buffers'] ?? []),
  },
  {
    id: 'LIM-02',
    what: "fill the runtime's own memory: blobs, messages, SQLite, pictures, key derivation, a compression bomb",
    stoppedBy: 'limits (RLIMIT_DATA)',
    attack: exhaustsMemory(memoryEaters['native'] ?? []),
  },
  {
    id: 'LIM-03',
    what: 'fill the space for machine code, which is reserved without being used',
    stoppedBy: 'limits (V8 heap, RLIMIT_DATA)',
    attack: exhaustsMemory([
      `const v8 = await import("node:v8"); v8.setFlagsFromString("--always-sparkplug"); const all = [];
       for (let i = 0; ; i++) { const f = new Function("a", "b", Array.from({ length: 200 }, (_, j) => "a=a*" + (i + j) + "+b;").join("") + "return a"); f(1, 2); all.push(f); }`,
    ]),
  },
  {
    id: 'TS-31',
    what: 'lift the limits with v8.setFlagsFromString, then fill the heap',
    stoppedBy: 'limits (RLIMIT_DATA)',
    attack: exhaustsMemory([
      `const v8 = await import("node:v8");
       for (const flag of ["--max-old-space-size=8000", "--max-heap-size=8000", "--max-semi-space-size=2000", "--allow-natives-syntax", "--expose-gc", "--no-memory-reducer", "--stack-size=900000"]) v8.setFlagsFromString(flag);
       const all = []; for (let i = 0; ; i++) all.push({ i });`,
    ]),
  },
  {
    id: 'TS-43',
    what: 'start 1,000 threads of node:worker_threads',
    stoppedBy: 'limits (RLIMIT_DATA)',
    attack: exhaustsMemory([
      `const { Worker } = process.getBuiltinModule("worker_threads"); const all = [];
       for (let i = 0; i < 1000; i++) all.push(new Worker("const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))", { eval: true }));
       await new Promise(() => setInterval(() => {}, 1000));`,
    ]),
  },
  {
    id: 'TS-39',
    what: 'loop forever and ignore SIGTERM',
    stoppedBy: 'server (wall clock, SIGKILL to the group)',
    async attack({ run }) {
      for (const program of [
        'Deno.addSignalListener("SIGTERM", () => {}); for (;;);',
        'Deno.addSignalListener("SIGTERM", () => {}); Deno.addSignalListener("SIGINT", () => {}); setInterval(() => {}, 1); await new Promise(() => {});',
        '/^(x+x+)+y$/.test("x".repeat(60));',
      ]) {
        const { status, errorCode, executionTimeMs } = await run(program, { timeoutMs: 1000 });
        assert.deepEqual({ status, errorCode }, { status: 'timed_out', errorCode: 'deadline_exceeded' });
        assert.ok(executionTimeMs < 4000, `${executionTimeMs} ms`);
      }
    },
  },
  {
    id: 'TS-45',
    what: 'never settle, with and without a timer that keeps the process alive; ask for more time than is allowed',
    stoppedBy: 'server',
    async attack({ run }) {
      const { status, errorCode } = await run('await new Promise(() => {});');
      assert.deepEqual({ status, errorCode }, { status: 'failed', errorCode: 'ended_early' });
      const kept = await run('setInterval(() => {}, 10); return await new Promise(() => {});', {
        timeoutMs: 1000,
      });
      assert.equal(kept.status, 'timed_out');
      const longest = await run('return 1', { timeoutMs: 1_000_000_000 });
      assert.equal(longest.errorCode, 'invalid_argument');
      const queued = await run('const again = () => Promise.resolve().then(again); await again();', {
        timeoutMs: 1000,
      });
      assert.equal(queued.status, 'timed_out');
    },
  },
  {
    id: 'TS-15',
    what: 'fill the disk: caches, localStorage, SQLite that spills, and leave it there',
    stoppedBy:
      'the bootstrap removes storage; limits (file size); strict: 16 MB of scratch space; portable: server (32 MB; an empty file may stay)',
    async attack(arena) {
      const { run, pid, places, mode } = arena;
      const gone = await run(
        'return ["caches", "Cache", "CacheStorage", "localStorage", "sessionStorage", "Storage"].filter((name) => name in globalThis).concat(Object.keys(Deno).filter((name) => name === "openKv"))',
      );
      assert.deepEqual(gone.result, []);
      // The folder that SQLite writes to cannot be chosen.
      const chosen = await run(
        `const { DatabaseSync } = await import("node:sqlite");
        new DatabaseSync(":memory:").exec("PRAGMA temp_store_directory='${places.home}'");`,
      );
      assert.match(chosen.error ?? '', /^NotCapable: /);
      const spill = `
        const { DatabaseSync } = await import("node:sqlite");
        for (let k = 0; k < 200; k++) {
          const d = new DatabaseSync(":memory:");
          d.exec("PRAGMA temp_store=1; PRAGMA cache_size=5; create temp table t(x)");
          (globalThis.all ??= []).push(d);
          const s = d.prepare("insert into t values (randomblob(100000))");
          try { for (let i = 0; i < 40; i++) s.run(); } catch {}
          await new Promise((go) => setTimeout(go, 20));
        }`;
      const { value, peak } = await peakWhile(run(spill), () => sandboxDisk(pid));
      // Strict: when its scratch space is full, SQLite keeps the rest in memory.
      assert.equal(value.errorCode, mode === 'strict' ? 'out_of_memory' : 'resource_exhausted');
      assert.ok(peak <= (mode === 'strict' ? 17 : 64), `${peak} MiB on disk`);
      // SQLite deletes its files right after creating them; if it is killed in between, an empty one is left.
      const left = (await readdir(places.home)).filter((name) => name.startsWith('etilqs_'));
      assert.ok(left.length === 0 || mode === 'portable', left.join());
      for (const file of left.map((name) => join(places.home, name))) {
        assert.equal((await stat(file)).size, 0);
        await rm(file);
      }
    },
  },
  {
    id: 'LIM-04',
    what: 'leave a core file with everything that was in memory',
    stoppedBy: 'limits (RLIMIT_CORE)',
    async attack({ run }) {
      // That no file is left is checked after the attack.
      for (const program of [
        'process.abort();',
        'const all = []; for (;;) all.push(new Blob([new Uint8Array(1 << 20)]));',
      ]) {
        assert.equal((await run(program)).success, false);
      }
    },
  },
  {
    id: 'LIM-05',
    what: 'flood stdout and stderr: without a line end, in lines, in colours, in bytes that are not text',
    stoppedBy: 'server (64 MB in all, 100,000 characters kept)',
    async attack({ run }) {
      for (const program of [
        'const bytes = new Uint8Array(1 << 16).fill(120); for (;;) Deno.stdout.writeSync(bytes);',
        'const bytes = new Uint8Array(1 << 16).fill(10); for (;;) Deno.stderr.writeSync(bytes);',
        'const bytes = new Uint8Array(1 << 16).fill(255); for (;;) Deno.stdout.writeSync(bytes);',
        'const bytes = new Uint8Array(1 << 16).fill(0x1e); for (;;) Deno.stdout.writeSync(bytes);',
        'for (;;) console.log("\\x1b[31m".repeat(100));',
      ]) {
        const { success, errorCode, output, stderr = '', truncated } = await run(program);
        assert.deepEqual(
          { success, errorCode, truncated },
          { success: false, errorCode: 'resource_exhausted', truncated: true },
        );
        assert.ok(output.length < 101_000 && stderr.length < 101_000);
      }
    },
  },
  {
    id: 'LIM-06',
    what: 'slow the server down with masses of the text that its own patterns look for',
    stoppedBy: 'server (no pattern that can backtrack is applied to the text of programs)',
    async attack({ run }) {
      const baits = [
        '"__codeExecutorStarted();" + " ".repeat(99_000)',
        '"__codeExecutorStarted(); ".repeat(4000)',
        '("__codeExecutorStarted();x\\n" + " ".repeat(900) + "|" + " ".repeat(900)).repeat(50)',
        '"\\n".repeat(99_000) + "x"',
        '"program.ts:1:" + "9".repeat(90_000)',
        '"blob:null/" + "a".repeat(90_000)',
        '(" ".repeat(300) + "\\n<--- Last few GCs ").repeat(300)',
      ];
      for (const bait of baits) {
        const { executionTimeMs } = await run(
          `const bait = ${bait}; console.log(bait); console.error(bait); throw Object.assign(new Error(bait.slice(0, 15_000)), { stack: bait.slice(0, 15_000) });`,
          { request: { onprogress: () => undefined, timeout: 8000 } },
        );
        assert.ok(executionTimeMs < 5000, bait);
      }
    },
  },
];
