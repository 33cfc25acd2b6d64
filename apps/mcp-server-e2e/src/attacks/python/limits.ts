import assert from 'node:assert/strict';

import { peakWhile, sandboxMemory } from '../arena/measure.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import { endedEarly } from './machine.js';

/** Memory of a Python process, in MiB: its limit, an idle Deno, and what the kernel counts differently. */
const maxResidentMb = 512 + 256;

/** Attacks on memory, time and depth. */
export const limits: readonly ProgramAttack[] = [
  {
    id: 'PY-13',
    what: 'use up memory: bytearrays, lists, dicts, strings, JavaScript arrays and objects',
    stoppedBy: "limits (all data, V8's heap)",
    async attack({ runPython, pid }) {
      for (const bomb of [
        '[bytearray(64 << 20) for _ in range(100)]',
        'kept = []\nwhile True:\n    kept.append({i: str(i) for i in range(1000)})',
        'list(range(10**9))',
        'text = "x"\nwhile True:\n    text += text',
        'from pyodide.code import run_js\nrun_js("const kept = []; for (;;) kept.push(new Uint8Array(64 << 20).fill(1))")',
        'from pyodide.code import run_js\nrun_js("const kept = []; for (;;) kept.push({}, [], String(Math.random()))")',
      ]) {
        const { value, peak } = await peakWhile(runPython(bomb, { timeoutMs: 60_000 }), () =>
          sandboxMemory(pid),
        );
        assert.equal(value.success, false, bomb);
        assert.match(value.errorCode ?? '', /^(?:out_of_memory|user_error)$/, `${bomb} ${value.error ?? ''}`);
        assert.ok(peak < maxResidentMb, `${peak} MiB: ${bomb}`);
      }
      const caught = await runPython(
        'kept = []\ntry:\n    while True:\n        kept.append(bytearray(16 << 20))\nexcept MemoryError:\n    kept.clear()\n"went on"',
      );
      assert.equal(caught.result, 'went on', caught.error);
    },
  },
  {
    id: 'PY-14',
    what: 'recurse: a million levels with the limit raised, in Python, in C, in a repr, in JSON, in the source',
    stoppedBy: "Python's limits; WebAssembly's stack, whose overflow ends the interpreter",
    async attack({ runPython }) {
      const deeper = 'import sys, json\nsys.setrecursionlimit(10**9)\n';
      const nest = 'value = []\nfor _ in range(10**6):\n    value = [value]\n';
      for (const program of [
        'def f(n):\n    return f(n + 1)\nf(0)',
        `${deeper}class A:\n    def __repr__(self):\n        return repr(self)\nrepr(A())`,
        `${deeper}${nest}json.dumps(value)`,
        `${deeper}${nest}str(value) == ""`,
        `${'('.repeat(40_000)}1${')'.repeat(40_000)}`,
        `${'-'.repeat(90_000)}1`,
        `a${'.a'.repeat(49_000)}`,
        `${'1+'.repeat(49_000)}1`,
      ]) {
        const { success, errorCode, result } = await runPython(program, { timeoutMs: 30_000 });
        const shown = program.slice(0, 120);
        assert.deepEqual([success, result], [false, undefined], shown);
        assert.match(errorCode ?? '', /^(?:user_error|out_of_memory|ended_early|not_serializable)$/, shown);
      }
      const { success, result } = await runPython(`${nest}value`);
      assert.equal(success, true);
      assert.ok(JSON.stringify(result).length < 1000);
      // Each level takes heap memory: the program ends when that or its time is used up.
      const raised = await runPython(`${deeper}def f(n):\n    return f(n + 1)\nf(0)`, { timeoutMs: 2500 });
      assert.equal(raised.success, false);
    },
  },
  {
    id: 'PY-22',
    what: 'end the interpreter: exit, abort, wild pointers, fatal errors, signals, and claim success before',
    stoppedBy: 'server (a missing result is a failure)',
    async attack({ runPython }) {
      for (const [program, code] of [
        ['import sys\nsys.exit(1)', 'ended_early'],
        ['import os\nos._exit(0)', 'ended_early'],
        ['import os\nos.abort()', 'ended_early'],
        ['import os\nos.kill(os.getpid(), 9)', 'ended_early'],
        ['import js\njs.Deno.exit(0)', 'ended_early'],
        ['from pyodide.code import run_js\nrun_js("process.abort()")', 'ended_early'],
        ['import ctypes\nctypes.string_at(0xffffffff, 100)', 'ended_early'],
        ['import ctypes\nctypes.memset(0, 65, 10**7)\n"it went on"', 'ended_early'],
        ['import faulthandler\nfaulthandler._sigsegv()', 'ended_early'],
        [
          'import js, pyodide_js\npyodide_js._api.fatal_error(js.Error.new("x"))\n"it went on"',
          'ended_early',
        ],
        ['import js\njs.dispatchEvent(js.Event.new("beforeunload"))\n"it went on"', 'ended_early'],
        ['import asyncio\nasyncio.get_event_loop().stop()\nawait asyncio.Future()', 'ended_early'],
        ['raise KeyboardInterrupt', 'user_error'],
        ['import asyncio\nraise asyncio.CancelledError', 'user_error'],
      ] as const) {
        const { success, errorCode, result, error } = await runPython(program, { timeoutMs: 10_000 });
        assert.deepEqual({ success, errorCode, result }, { ...endedEarly, errorCode: code }, program);
        assert.notEqual(error, '');
      }
    },
  },
  {
    id: 'PY-27',
    what: 'loop forever, four at once, with signal handlers and without a point of interruption, while health is queried',
    stoppedBy: 'server (a process for each; SIGKILL to the group)',
    async attack(server) {
      const loops = [
        'while True:\n    pass',
        'while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass',
        'from pyodide.code import run_js\nrun_js("Deno.addSignalListener(\'SIGTERM\', () => {}); for (;;);")',
        'import re\nre.match(r"(a+)+$", "a" * 60 + "!")',
      ];
      const running = loops.map((loop) => server.runPython(loop, { timeoutMs: 6000 }));
      const ended = Promise.all(running);
      let answers = 0;
      let isOver = false as boolean;
      void ended.finally(() => (isOver = true)).catch(() => undefined);
      while (!isOver) {
        await server.health();
        answers++;
      }
      for (const { status, executionTimeMs } of await ended) {
        assert.equal(status, 'timed_out');
        assert.ok(executionTimeMs < 30_000, `${executionTimeMs} ms`);
      }
      // One answer may come before the loops start, and one after they end.
      assert.ok(answers > 2, `${answers} answers`);
    },
  },
  {
    id: 'PY-28',
    what: 'keep running after the value: tasks, atexit, threads of timers, generators, a promise that never settles',
    stoppedBy: 'server (the end of the process); tasks are cancelled as by asyncio.run',
    async attack(arena) {
      const after = 'mcp__fixture__echo';
      const call = `call_mcp_tool("${after}", {"late": True})`;
      for (const late of [
        `async def late():\n    await asyncio.sleep(1)\n    await ${call}\ntask = asyncio.ensure_future(late())`,
        `async def late():\n    try:\n        await asyncio.sleep(100)\n    finally:\n        await asyncio.sleep(100)\ntask = asyncio.ensure_future(late())`,
        `import atexit\natexit.register(lambda: ${call})`,
        `import js\nfrom pyodide.ffi import create_proxy\nproxy = create_proxy(lambda: ${call})\njs.setTimeout(proxy, 500)`,
        `asyncio.get_event_loop().call_later(0.5, lambda: ${call})`,
        `class A:\n    def __del__(self):\n        ${call}\nkept = A()`,
      ]) {
        const { success, result, errorCode, executionTimeMs } = await arena.runPython(
          `import asyncio\n${late}\n42`,
          { allowedTools: [after], timeoutMs: 3000 },
        );
        assert.ok(success ? result === 42 : errorCode === 'deadline_exceeded', late);
        assert.ok(executionTimeMs < 12_000);
      }
      assert.deepEqual(await arena.takeUpstreamCalls(), []);
      for (const never of [
        'import asyncio\nawait asyncio.Future()',
        'import js\nawait js.Promise.new(lambda *_: None)',
      ]) {
        const { success, status } = await arena.runPython(never, { timeoutMs: 4000 });
        assert.deepEqual([success, status === 'succeeded'], [false, false], never);
      }
    },
  },
];
