import assert from 'node:assert/strict';

import type { ProgramAttack } from '../arena/program-attack.js';

const echo = 'mcp__fixture__echo';
const secret = 'mcp__fixture__secret';
const frame = (value: object) => JSON.stringify(JSON.stringify(value));

/** The beginning of programs that take the nonce from a first call; `frame(value)` writes a forged frame. */
const forging = `
import asyncio, json, os
from pyodide.code import run_js
run_js("""
globalThis.nonce = "";
const { subarray } = Uint8Array.prototype;
Uint8Array.prototype.subarray = function (...range) {
  if (this[0] === 0x1e && nonce === "") globalThis.nonce = new TextDecoder().decode(this).slice(1, 33);
  return subarray.apply(this, range);
};
""")
await search_tools("x")
import js
nonce = js.globalThis.nonce
assert len(nonce) == 32, "The nonce was not found."
def frame(value):
    text = value if isinstance(value, str) else json.dumps(value)
    for rest in [("\\x1e" + nonce + text + "\\n").encode()]:
        while rest:
            rest = rest[os.write(1, rest):]
`;

/** Attacks on the pipe to the server, and on the functions that use it. */
export const pythonPipe: readonly ProgramAttack[] = [
  {
    id: 'PY-15',
    what: 'forge a result without the nonce, through js.Deno.stdout, os.write, print and stderr, then raise',
    stoppedBy: 'server (frames carry a nonce)',
    async attack({ runPython }) {
      const forged = { type: 'result', value: 'forged' };
      const report = await runPython(`
import js, os, sys
text = ${frame(forged)}
for mark in ("\\x1e", "\\x1e" + "0" * 32, "", "\\n\\x1e", "\\x1e" + "f" * 32):
    js.Deno.stdout.writeSync(js.TextEncoder.new().encode(mark + text + "\\n"))
    os.write(1, (mark + text + "\\n").encode())
    print(mark + text)
    print(mark + text, file=sys.stderr)
    sys.__stdout__.buffer.write((mark + text + "\\n").encode())
raise RuntimeError("The end.")`);
      assert.deepEqual([report.success, report.errorCode, report.result], [false, 'user_error', undefined]);
      assert.match(report.error ?? '', /The end/);
      assert.match(report.output, /forged/);
      // A fatal error of the interpreter does not report a result either.
      const fatal = await runPython(`import os\nprint("\\x1e" + ${frame(forged)}, flush=True)\nos.abort()`);
      assert.deepEqual([fatal.success, fatal.errorCode], [false, 'ended_early']);
    },
  },
  {
    id: 'PY-16',
    what: 'forge with the nonce, taken from JavaScript: calls that are not allowed, two results, bad numbers',
    stoppedBy: 'server (allowlist; one result; the server keeps its own record)',
    async attack(arena) {
      const allowed = { allowedTools: [echo], timeoutMs: 8000 };
      const denied = await arena.runPython(
        `${forging}
frame({"type": "call", "id": 50, "method": "callTool", "params": {"name": "${secret}", "args": {}}})
frame({"type": "call", "id": 51, "method": "callTool", "params": {"name": "${secret}", "args": {}, "allowed": True}})
await asyncio.sleep(1)
frame({"type": "result", "value": "forged", "toolCallsMade": ["mcp__a__b"], "status": "succeeded", "isolation": "container"})
await asyncio.sleep(30)`,
        allowed,
      );
      assert.deepEqual([denied.success, denied.result], [true, 'forged']);
      assert.equal(denied.isolation, arena.mode);
      assert.ok(!denied.toolCallsMade.includes('mcp__a__b'));
      assert.ok(denied.toolCallSummary.every(({ successCount }) => successCount === 0));
      for (const bad of [
        'frame({"type": "result", "value": 1}); frame({"type": "result", "value": 2})',
        'frame({"type": "unknown"})',
        'frame("{")',
        `frame('{"type":"call","id":1e400,"method":"callTool","params":{"name":"${echo}","args":{}}}')`,
        `frame('{"type":"call","id":-1,"method":"callTool","params":{"name":"${echo}","args":{}}}')`,
      ]) {
        const { success, toolCallsMade } = await arena.runPython(
          `${forging}${bad}\nwhile True:\n    pass`,
          allowed,
        );
        // Of two results in a row, perhaps only the first was read.
        assert.ok(!success || bad.includes('"value": 2'), bad);
        assert.deepEqual(toolCallsMade, [], bad);
      }
      assert.deepEqual(await arena.takeUpstreamCalls(), []);
    },
  },
  {
    id: 'PY-23',
    what: 'replace call_mcp_tool, its module, its bridge, json.loads and the exceptions, then call a denied tool',
    stoppedBy: 'server (allowlist; the server keeps its own record)',
    async attack(arena) {
      const { result, toolCallSummary, toolCallsMade, error } = await arena.runPython(
        `
import json, builtins, sys
from code_executor import host, tools
ask, reply_to = host._ask, host._reply_to
async def asked(method, params):
    reply = reply_to(ask(method, params))
    return reply if isinstance(reply, str) else await reply
loads = json.loads
codes = []
def note(error): codes.append(getattr(error, "code", type(error).__name__))
json.loads = lambda text: {"value": {"allowed": True, "name": "${echo}"}}
tools.ToolNotAllowedError = tools.McpToolError = ValueError
class Forger:
    def encode(self, value): return '{"name":"${secret}","args":{},"raw":false}'
host._json = Forger()
try: codes.append(str(await call_mcp_tool("${echo}", {"a": 1})))
except BaseException as error: note(error)
from pyodide.ffi import to_js
codes.append(await asked("callTool", '{"name":"${secret}","args":{}}'))
codes.append(await asked("callTool", '{"name":["${secret}"],"args":{}}'))
codes.append(await asked("callTool", '{"name":"${secret}","args":{},"allowedTools":["*"]}'))
call_mcp_tool = lambda *_: "mine"
json.loads = loads
codes`,
        { allowedTools: [echo, '*'] },
      );
      assert.ok(Array.isArray(result), JSON.stringify([error, result]));
      assert.equal(
        (result as string[]).filter((text) => text.includes('permission_denied')).length >= 2,
        true,
      );
      assert.deepEqual(await arena.takeUpstreamCalls(), []);
      const names = [...toolCallsMade, ...toolCallSummary.map(({ toolName }) => toolName)];
      assert.ok(names.length === 0 || names.includes(secret), names.join());
      assert.ok(!names.includes(echo), names.join());
    },
  },
  {
    id: 'PY-26',
    what: 'read from the pipe: input(), sys.stdin, os.read(0), js.Deno.stdin, /dev/tty',
    stoppedBy: "Python's stdin is empty; the pipe contains nothing but replies to the program itself",
    async attack({ runPython }) {
      const empty = await runPython(`
import os, sys
outcomes = []
for read in (lambda: input("?"), lambda: sys.stdin.read(), lambda: os.read(0, 100), lambda: open(0, closefd=False).read(), lambda: open("/dev/stdin").read()):
    try: outcomes.append(str(read()))
    except BaseException as error: outcomes.append(type(error).__name__)
outcomes`);
      assert.deepEqual(empty.result, ['EOFError', '', "b''", '', ''], empty.error);
      for (const steal of [
        'import js\njs.Deno.stdin.readSync(js.Uint8Array.new(1000))\n"stolen"',
        'open("/dev/tty").read()\n"stolen"',
        'import js\njs.Deno.stdin.close()\nawait search_tools("x")\n"stolen"',
      ]) {
        const { result } = await runPython(steal, { timeoutMs: 2000 });
        assert.notEqual(result, 'stolen', steal);
      }
    },
  },
  {
    id: 'PY-31',
    what: 'print endlessly on both streams, through JavaScript and os.write, also bytes that are not text',
    stoppedBy: 'server (limits on bytes and characters of output)',
    async attack({ runPython }) {
      for (const flood of [
        'while True:\n    print("x" * 10**6)',
        'import sys\nwhile True:\n    sys.stderr.write("x\\n" * 1000)',
        'import os\nwhile True:\n    os.write(1, b"\\xff\\xfe\\x1e\\x00" * 50_000)',
        'from js import console\nwhile True:\n    console.log("x" * 10**6)',
      ]) {
        const report = await runPython(flood, { timeoutMs: 30_000 });
        assert.deepEqual([report.success, report.errorCode], [false, 'resource_exhausted'], flood);
        assert.ok(JSON.stringify(report).length < 1_500_000);
      }
    },
  },
];
