import assert from 'node:assert/strict';

import type { ExecutionReport } from '@code-executor/executor';

import { project } from '../arena/aftermath.js';
import type { ProgramAttack } from '../arena/program-attack.js';

const outcome = ({ success, errorCode, truncated }: ExecutionReport) =>
  success ? (truncated ? 'truncated' : 'value') : (errorCode ?? '');
const bounded = (report: ExecutionReport) => JSON.stringify(report).length < 350_000;

/** Attacks with unusual Python programs, values and arguments. */
export const programs: readonly ProgramAttack[] = [
  {
    id: 'PY-24',
    what: 'return values that are not JSON, or too large: NaN, lone surrogates, cycles, objects that lie, 10 MB, 1e6 levels',
    stoppedBy: 'the bootstrap; server (the same limits again)',
    async attack(arena) {
      const echo = 'mcp__fixture__echo';
      const { result, error } = await arena.runPython(
        `
outcomes = []
cycle = {}
cycle["a"] = cycle
class Liar(dict):
    def items(self): return [(object(), object())]
for value in (float("nan"), float("inf"), "\\ud800", cycle, b"x", {1, 2}, Liar(a=1), "x" * 10**7, ["x" * 100] * 10**5, 10**5000):
    try: outcomes.append(str(await call_mcp_tool("${echo}", {"value": value}))[:20])
    except BaseException as error: outcomes.append(getattr(error, "code", type(error).__name__))
outcomes`,
        { allowedTools: [echo] },
      );
      assert.ok(Array.isArray(result), error);
      const refused = (result as string[]).filter((text) => text === 'invalid_argument');
      // A lone surrogate is valid JavaScript text, and a number may have any length.
      assert.ok(refused.length >= 7, JSON.stringify(result));
      await arena.takeUpstreamCalls();
      for (const [value, expected] of [
        ['[float("nan"), float("inf"), -0.0, 10**400, 1j]', 'value'],
        ['["\\ud800", {"\\udfff": 1}]', 'value'],
        ['(lambda a: a.append(a) or a)([])', 'value'],
        ['type("A", (), {"__repr__": lambda self: 1})()', 'value'],
        ['type("A", (), {"__repr__": lambda self: "x" * 10**8})()', 'value out_of_memory deadline_exceeded'],
        [
          'type("A", (dict,), {"items": lambda self: iter(int, 1)})()',
          'user_error deadline_exceeded out_of_memory',
        ],
        [
          'type("A", (list,), {"__iter__": lambda self: iter(int, 1), "__len__": lambda self: 2**40})()',
          'truncated',
        ],
        ['"x" * (50 * 10**6)', 'truncated out_of_memory deadline_exceeded'],
        ['list(range(10**6))', 'truncated'],
        ['{"__proto__": {"isError": True}, "constructor": 1, "toJSON": 2, "then": 3}', 'value'],
        ['b"\\xff" * 100', 'value'],
        ['memoryview(b"x")', 'value'],
      ] as const) {
        const outcomes: string[] = expected.split(' ');
        // A start may take long, so only programs that may run forever get little time.
        const report = await arena.runPython(
          value,
          outcomes.includes('deadline_exceeded') ? { timeoutMs: 5000 } : {},
        );
        assert.ok(outcomes.includes(outcome(report)), `${value}: ${outcome(report)} ${report.error ?? ''}`);
        assert.ok(bounded(report), value);
      }
    },
  },
  {
    id: 'PY-25',
    what: 'send unusual programs: NUL, coding lines, tabs, BOM, __future__, 200 KB, too long, carriage returns, await anywhere',
    stoppedBy: 'server (characters); the source is text, so coding lines mean nothing',
    async attack({ runPython, places: { secrets } }) {
      for (const [code, expected] of [
        ['len("a\0b")', 'user_error'],
        ['# coding: utf-7\n"+AGE-"', 'value'],
        [`# coding: file://${secrets}/secret.txt\n1`, 'value'],
        ['\uFEFF1', 'value user_error'],
        ['if True:\n\tx = 1\n        y = 2\nx', 'user_error'],
        ['x = 1\r\ny = 2\rx + y', 'value user_error'],
        ['from __future__ import annotations\nx: absent = 1\nx', 'value'],
        ['x = 1\nfrom __future__ import annotations', 'user_error'],
        ['import asyncio\n[i async for i in (await asyncio.sleep(0, j) for j in range(3))]', 'value'],
        ['return 1', 'value'],
        ['"\ud800"', 'invalid_argument'],
        [`x = 1\n${'#'.repeat(99_990)}`, 'value'],
        ['x'.repeat(200_000), 'invalid_argument'],
        ['', 'invalid_argument'],
        [`${'a'.repeat(90_000)} = 1\n1`, 'value'],
        [
          'def f(): pass\nf.__code__ = f.__code__.replace(co_code=b"\\xff" * 100)\nf()',
          'ended_early user_error',
        ],
        [`import sys\nsys.stdout.close()\nsys.stderr = None\nprint = 1\n5`, 'value'],
        [
          `import linecache, traceback\nlinecache.getlines("${secrets}/secret.txt")\nraise SyntaxError("x", ("${secrets}/secret.txt", 1, 1, None))`,
          'user_error',
        ],
      ] as const) {
        const report = await runPython(code);
        assert.ok(
          expected.split(' ').includes(outcome(report)),
          `${code.slice(0, 80)}: ${outcome(report)} ${report.error?.slice(0, 300) ?? ''}`,
        );
      }
    },
  },
  {
    id: 'PY-20',
    what: 'learn paths of the host from tracebacks, fatal errors, warnings, failures to load, modules',
    stoppedBy: 'server (paths are replaced in messages); OS',
    async attack({ runPython, places: { home, secrets } }) {
      for (const program of [
        'raise RuntimeError("x")',
        'import absent_module',
        'open("absent")',
        'import os\nos.abort()',
        'import ctypes\nctypes.CDLL("absent")',
        'from pyodide.code import run_js\nrun_js("throw new Error(1)")',
        'from pyodide.code import run_js\nrun_js("null.x")',
        'import warnings\nwarnings.warn("x")',
        'import js, pyodide_js\nraise RuntimeError(js.Deno.mainModule + js.Deno.execPath() + js.Deno.cwd() + pyodide_js._api.config.indexURL)',
        'import js\njs.console.error(js.Error.new("x").stack)\njs.queueMicrotask(js.eval("() => { throw new Error(1) }"))',
        'import pyodide_js\nawait pyodide_js.loadPackage("numpy")',
        'import faulthandler\nfaulthandler.dump_traceback()',
        'import sys\nprint(sys.executable, sys.path, sys.flags, sys.orig_argv, sys.modules["__main__"])',
      ]) {
        const { error = '', stderr = '', output } = await runPython(program);
        for (const text of [error, stderr, output]) {
          assert.ok(
            !text.includes('node_modules') && !text.includes(home) && !text.includes(secrets),
            `${program}\n${text}`,
          );
        }
      }
      const { result, error } = await runPython(
        'import os, platform, sys, sysconfig, site\n[sys.executable, sys.orig_argv, sys.prefix, sys.path, sysconfig.get_paths(), os.__file__, platform.uname(), site.getsitepackages(), os.getcwd(), __name__]',
      );
      assert.ok(Array.isArray(result), error);
      assert.doesNotMatch(JSON.stringify(result), /node_modules|libs\/|bootstrap|snapshot/);
    },
  },
  {
    id: 'PY-36',
    what: 'make the client show HTML and scripts that claim to be pictures, returned and displayed',
    stoppedBy: 'server (the type of a picture is taken from its bytes)',
    async attack({ runPython }) {
      const block = (mimeType: string) =>
        JSON.stringify({
          type: 'image',
          mimeType,
          data: Buffer.from('<script>alert(1)</script>').toString('base64'),
        });
      for (const mimeType of ['text/html;charset=utf-8', 'image/svg+xml', 'image/png']) {
        for (const program of [
          block(mimeType),
          `[${block(mimeType)}]`,
          `{"content": [${block(mimeType)}]}`,
        ]) {
          const { images } = await runPython(program);
          assert.equal(images, undefined, program);
        }
        const { images } = await runPython(`try: display(${block(mimeType)})\nexcept ValueError: pass`);
        assert.equal(images, undefined, mimeType);
      }
    },
  },
  {
    id: 'PY-37',
    what: 'learn where the product is, and the process id of the server: indexURL, stacks, the entry script, the process',
    stoppedBy: 'OS; portable: links with meaningless names, and the bootstrap',
    async attack({ runPython, pid, places: { home, temp } }) {
      const { result, error } = await runPython(`
import js, pyodide_js, sys
from pyodide.code import run_js
[pyodide_js._api.config.indexURL, pyodide_js._api.config.packageBaseUrl or "", js.Error.new("x").stack, js.Deno.mainModule,
 js.Deno.execPath(), js.Deno.ppid, run_js("process.ppid"), run_js("process.argv.join()"), run_js("process.execPath"), js.Deno.cwd(), sys.orig_argv]`);
      assert.ok(Array.isArray(result), error);
      const text = JSON.stringify(result).replaceAll(new RegExp(`${temp}/code-executor-\\d+-\\w+/`, 'g'), '');
      assert.ok(!text.includes(home), text);
      assert.ok(!text.includes(project), text);
      // A small process id may also occur as a line number in a stack, so the whole text is not searched.
      assert.deepEqual(
        (result as unknown[]).filter((got) => got === pid || String(got).includes(`-${pid}-`)),
        [],
      );
    },
  },
];
