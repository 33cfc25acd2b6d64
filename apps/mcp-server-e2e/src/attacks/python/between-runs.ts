import assert from 'node:assert/strict';

import type { ProgramAttack } from '../arena/program-attack.js';
import { untilSpare, withPythonServer } from './python-server.js';

const poison = `
import asyncio, atexit, builtins, gc, importlib, json, os, random, sys, threading, types
import js, pyodide_js, code_executor.host, code_executor.tools
from pyodide.code import run_js
sys.modules["planted"] = types.ModuleType("planted")
json.dumps = lambda *_, **__: '"planted"'
json.planted = builtins.planted = sys.planted = code_executor.host.planted = "planted"
builtins.len = lambda _: -1
builtins.print = lambda *_: None
os.environ["PLANTED"] = "planted"
os.makedirs("/tmp/planted", exist_ok=True)
for path in ("/tmp/planted/file", "/home/pyodide/planted.py", "/lib/python3.14/site-packages/planted.py", "/lib/python3.14/site-packages/sitecustomize.py", "/lib/python3.14/site-packages/planted.pth"):
    open(path, "w").write("planted = 1")
js.globalThis.planted = "planted"
pyodide_js.globals.set("planted", "planted")
run_js("Object.prototype.planted = 1; Array.prototype.map = () => ['planted']; Deno.planted = 1; Uint8Array.prototype.planted = 1")
run_js("const channel = new BroadcastChannel('planted'); setInterval(() => channel.postMessage('planted'), 10)")
sys.path.insert(0, "/tmp/planted")
sys.meta_path.insert(0, types.SimpleNamespace(find_spec=lambda *_: None, planted=1))
sys.stdout = sys.stderr
asyncio.planted = 1
asyncio.ensure_future = lambda *_: None
async def background():
    while True:
        open("/tmp/planted/file", "a").write("planted")
        await asyncio.sleep(0.01)
task = asyncio.get_event_loop().create_task(background())
atexit.register(lambda: open("/tmp/planted/file", "a").write("planted"))
call_mcp_tool = search_tools = lambda *_: "planted"
secret_of_the_first = "planted-" + "secret"
random.seed(1)
sys.setrecursionlimit(50_000)
os.chdir("/tmp")
sys.argv.append("planted")
`;

/** A program that lists everything that differs from what the first program finds. */
const look = `
import asyncio, builtins, gc, json, os, sys
import js, pyodide_js
from pyodide.code import run_js
heard = run_js("globalThis.heard = []; globalThis.channel = new BroadcastChannel('planted'); channel.onmessage = ({ data }) => heard.push(data); heard")
await asyncio.sleep(0.2)
found = []
def check(name, is_clean):
    if not is_clean: found.append(name)
check("messages", len(heard) == 0)
check("modules", not [name for name in sys.modules if "planted" in name])
for module in (json, builtins, sys, asyncio, __import__("code_executor.host").host): check(module.__name__, not hasattr(module, "planted"))
check("functions", json.dumps([1]) == "[1]" and len([1]) == 1 and asyncio.ensure_future(asyncio.sleep(0)) is not None)
check("environment", dict(os.environ) == {"HOME": "/home/pyodide", "LANG": "C.UTF-8", "PATH": "/usr/bin"})
check("files", not [path for path, folders, files in os.walk("/") for name in (*folders, *files) if "planted" in name or name == "sitecustomize.py"])
check("globals of JavaScript", not hasattr(js.globalThis, "planted") and not hasattr(js.Deno, "planted"))
check("prototypes", run_js("'planted' in {} || 'planted' in new Uint8Array() || [1].map((x) => x)[0] !== 1") is False)
check("globals", "planted" not in globals() and "secret_of_the_first" not in globals() and callable(search_tools))
check("objects", not [thing for thing in gc.get_objects() if isinstance(thing, dict) and str(thing.get("secret_of_the_first")).startswith("planted-")])
check("paths", "/tmp/planted" not in sys.path and not [finder for finder in sys.meta_path if hasattr(finder, "planted")])
check("process", sys.argv == ["program.py"] and os.getcwd() == "/home/pyodide" and sys.getrecursionlimit() < 50_000 and sys.stdout is not sys.stderr)
found
`;

/** Attacks that affect the next execution. */
export const betweenRuns: readonly ProgramAttack[] = [
  {
    id: 'PY-17',
    what: 'leave something for the next program, also in a spare: modules, builtins, files, JavaScript, tasks, atexit',
    stoppedBy: 'process (each program has its own, used once)',
    async attack(arena) {
      await withPythonServer(arena, 1, async (server) => {
        for (const isReady of [false, true]) {
          if (isReady) await untilSpare(server);
          const { result, error } = await server.runPython(look);
          assert.deepEqual([result, error], [[], undefined]);
          if (isReady) await untilSpare(server);
          const poisoned = await server.runPython(`${poison}\n1`);
          assert.ok(poisoned.errorCode !== 'deadline_exceeded', poisoned.error);
        }
      });
    },
  },
  {
    id: 'PY-18',
    what: 'see a program that runs at the same time: files, globals, messages, environment',
    stoppedBy: 'process (each program has its own)',
    async attack({ runPython }) {
      const [, beside] = await Promise.all([
        runPython(`${poison}\nawait asyncio.sleep(3)`),
        runPython(`import asyncio\nawait asyncio.sleep(1)\n${look}`),
      ]);
      assert.deepEqual([beside.result, beside.error], [[], undefined]);
    },
  },
  {
    id: 'PY-19',
    what: 'guess the random numbers of another program: random, uuid, secrets, os.urandom, Math.random, tempfile',
    stoppedBy: 'the bootstrap (random numbers are seeded again after a snapshot); entropy of the runtime',
    async attack(arena) {
      await withPythonServer(arena, 1, async (server) => {
        const program = `
import js, os, random, secrets, tempfile, uuid
[random.random(), random.Random().random(), random.SystemRandom().random(), str(uuid.uuid4()), str(uuid.uuid1()), secrets.token_hex(), os.urandom(8).hex(), js.Math.random(), js.crypto.randomUUID(), tempfile.mktemp(), random.getrandbits(64)]`;
        const runs: unknown[][] = [];
        for (let run = 0; run < 3; run++) {
          if (run > 0) await untilSpare(server);
          const { result, error } = await server.runPython(program);
          assert.ok(Array.isArray(result), error);
          runs.push(result);
        }
        const all = runs.flat();
        assert.deepEqual(
          all.filter((value, index) => all.indexOf(value) !== index),
          [],
        );
      });
    },
  },
];
