import assert from 'node:assert/strict';

import type { ProgramAttack } from '../arena/program-attack.js';
import { outcomesOf } from '../typescript/attempts.js';
import { listens } from '../typescript/native-sockets.js';
import { endedEarly } from './machine.js';
import { attemptPythonProgram, eachRefusedInPython } from './python-attempts.js';

/** Python expressions that run the JavaScript code, one for each way from Python to JavaScript. */
const viaJavaScript = (code: string) => [
  `run_js(${JSON.stringify(code)})`,
  `js.eval(${JSON.stringify(code)})`,
  `js.Function.new(${JSON.stringify(`return ${code}`)})()`,
  `run_js("import('data:text/javascript,' + encodeURIComponent(${JSON.stringify(`export default await (async () => ${code})()`).replaceAll('"', "'")})).then((module) => module.default)")`,
];
const permissions = ['read', 'write', 'net', 'env', 'sys', 'run', 'ffi', 'import'];

/** Attacks that go from Python to JavaScript, and from there to the runtime. */
export const bridge: readonly ProgramAttack[] = [
  {
    id: 'PY-01',
    what: 'read environment variables: js.process.env, js.Deno.env, run_js, js.eval, Function, os.environ, /proc',
    stoppedBy: 'an empty environment; Deno',
    async attack(arena) {
      await eachRefusedInPython(() => [
        'js.process.env.CANARY',
        'js.Deno.env.toObject()',
        'js.Deno.env.get("PATH")',
        ...viaJavaScript('JSON.stringify(Deno.env.toObject())').slice(0, 3),
        'run_js("({ ...process.env })")',
        'open("/proc/self/environ").read()',
      ])(arena);
      const report = await arena.runPython('import os\n[dict(os.environ), os.getenv("CANARY")]');
      assert.deepEqual(report.result, [{ HOME: '/home/pyodide', LANG: 'C.UTF-8', PATH: '/usr/bin' }, null]);
    },
  },
  {
    id: 'PY-02',
    what: 'read, write and run through JavaScript: run_js, js.eval, Function, data: modules, node modules, ctypes',
    stoppedBy: 'Deno; OS',
    async attack(arena) {
      const { secrets, home } = arena.places;
      await eachRefusedInPython(() => [
        ...viaJavaScript(`Deno.readTextFileSync("${secrets}/secret.txt")`).slice(0, 3),
        `js.Deno.readFile("${secrets}/secret.txt")`,
        `js.Deno.readDirSync("${home}")`,
        `js.Deno.statSync("${secrets}/secret.txt")`,
        `js.Deno.writeTextFileSync("${secrets}/new", "x")`,
        `js.Deno.removeSync("${secrets}/data")`,
        `js.Deno.openSync("${secrets}/data")`,
        'js.Deno.makeTempFileSync()',
        `run_js("import('node:fs').then((fs) => fs.readFileSync('${secrets}/secret.txt', 'utf8'))")`,
        `run_js("process.getBuiltinModule('fs').appendFileSync('${secrets}/data', 'x')")`,
        `run_js("import('file://${secrets}/secret.txt', { with: { type: 'text' } })")`,
        `run_js("import('file://${secrets}/secret.js')")`,
        `run_js("import('data:text/javascript,import text from %22file://${secrets}/secret.txt%22 with {type: %22text%22}; export default text')")`,
        `run_js("new (process.getBuiltinModule('sqlite').DatabaseSync)('${secrets}/data')")`,
        `run_js("process.getBuiltinModule('module').createRequire('/')('${secrets}/secret.json')")`,
        'js.Deno.Command.new("/bin/true").outputSync()',
        `run_js("process.getBuiltinModule('child_process').execSync('touch ${secrets}/new')")`,
        'js.Deno.kill(1, "SIGKILL")',
        'js.Deno.hostname()',
        'js.Deno.networkInterfaces()',
        `run_js("Deno.dlopen('${secrets}/data', {})")`,
        `run_js("process.dlopen({ exports: {} }, '${secrets}/data')")`,
      ])(arena);
      for (const name of [
        'emscripten_run_script',
        'emscripten_run_script_int',
        'emscripten_run_script_string',
      ]) {
        const { success, errorCode, result } = await arena.runPython(
          `import ctypes\nctypes.CDLL(None).${name}(b"Deno.readTextFileSync('${secrets}/secret.txt')")\n"it went on"`,
        );
        // Python code cannot catch what JavaScript throws there.
        assert.deepEqual({ success, errorCode, result }, endedEarly, name);
      }
    },
  },
  {
    id: 'PY-04',
    what: 'request permissions, including the one that the interpreter was loaded with',
    stoppedBy: 'Deno (--no-prompt, --deny-*; read is revoked before the program runs)',
    async attack({ runPython }) {
      const descriptor = (name: string) => `js.JSON.parse('{"name":"${name}"}')`;
      const outcomes = outcomesOf(
        await runPython(
          attemptPythonProgram([
            ...permissions.map((name) => `js.Deno.permissions.requestSync(${descriptor(name)}).state`),
            ...permissions.map((name) => `js.Deno.permissions.querySync(${descriptor(name)}).state`),
          ]),
        ),
      );
      const granted = outcomes.filter(({ got }) => got !== 'denied' && got !== 'prompt');
      assert.deepEqual([granted, outcomes.length], [[], 2 * permissions.length]);
      const requested = outcomes.slice(0, permissions.length);
      assert.deepEqual([...new Set(requested.map(({ got }) => got))], ['denied']);
    },
  },
  {
    id: 'PY-06',
    what: 'read the files that the interpreter was loaded from: itself, its snapshot and the entry script',
    stoppedBy: 'Deno (read is revoked before the program runs)',
    async attack({ runPython }) {
      // In portable isolation, their location is not a secret: the process knows it.
      const pyodide = 'pyodide_js._api.config.indexURL';
      const attempts = [
        `js.Deno.readFileSync(${pyodide} + "package.json")`,
        `js.Deno.readDirSync(${pyodide})`,
        `pyodide_js._api.loadBinaryFile(${pyodide} + "pyodide-lock.json")`,
        'js.Deno.readFileSync(js.URL.new(js.Deno.mainModule))',
        `run_js("import(Deno.mainModule + '?again')")`,
        'js.Deno.readFileSync("/app/snapshot")',
        'js.Deno.readDirSync("/app")',
        'js.Deno.readDirSync(".")',
      ];
      const { result, error } = await runPython(
        `${attemptPythonProgram(attempts)}\n["Requires read access" in one.get("refusal", "") for one in outcomes]`,
      );
      assert.deepEqual([result, error], [attempts.map(() => true), undefined]);
    },
  },
  {
    id: 'PY-07',
    what: 'reach objects of the runtime through classes, modules and the garbage collector',
    stoppedBy: 'nothing behind the bridge but the empty realm; no secret is given to the process',
    async attack({ runPython, places: { canary } }) {
      const report = await runPython(`
import gc, sys, types, os, js, pyodide_js
from pyodide.ffi import JsProxy
texts = set()
for module in list(sys.modules.values()):
    texts.update(str(value)[:300] for value in getattr(module, "__dict__", {}).values() if isinstance(value, (str, bytes)))
for thing in gc.get_objects():
    if isinstance(thing, dict):
        texts.update(str(value)[:300] for value in list(thing.values()) if isinstance(value, (str, bytes)))
classes = [kind for kind in object.__subclasses__() if kind.__name__ in ("FileLoader", "Popen", "_wrap_close", "catch_warnings", "BuiltinImporter")]
reached = []
for kind in classes:
    for name in ("__init__", "load_module", "find_spec"):
        scope = getattr(getattr(kind, name, None), "__globals__", {})
        reached += [scope.get("sys"), scope.get("os")]
proxies = [thing for thing in gc.get_objects() if isinstance(thing, JsProxy)]
walked = js.Object.getPrototypeOf(js.Deno).constructor.constructor("return typeof Deno.readFileSync + typeof require")()
[len(texts), sorted(text for text in texts if "CANARY" in text or "API_KEY" in text), [dict(module.environ) for module in reached if module is os][:1], len(proxies) < 50, walked]`);
      assert.ok(Array.isArray(report.result), report.error);
      const [count, found, environments, isEmpty, walked] = report.result as [number, string[], ...unknown[]];
      assert.ok(count > 1000);
      assert.ok(!JSON.stringify(found).includes(canary));
      assert.deepEqual([isEmpty, walked], [true, 'functionundefined']);
      assert.ok(!JSON.stringify(environments).includes('CANARY'));
    },
  },
  {
    id: 'PY-10',
    what: 'start more than one process or thread: js.Worker, worker_threads, threading, multiprocessing',
    stoppedBy: 'the bootstrap; no process or thread in WebAssembly; limits',
    async attack(arena) {
      await eachRefusedInPython(
        () => [
          'js.Worker.new("data:text/javascript,for(;;);")',
          "run_js(\"new Worker('data:text/javascript,postMessage(1)', { type: 'module' })\")",
          '__import__("threading").Thread(target=print).start()',
          '__import__("multiprocessing").Process(target=print).start()',
          '__import__("concurrent.futures").futures.ThreadPoolExecutor().submit(print).result()',
          '__import__("_thread").start_new_thread(print, ())',
        ],
        new RegExp(`new thread|AttributeError: Worker|Worker is not defined|_multiprocessing`),
      )(arena);
      const worker = `from pyodide.code import run_js
await run_js("import('node:worker_threads').then(({ Worker }) => new Promise((go) => new Worker('for(;;);', { eval: true }).on('online', () => go('it runs')).on('error', (error) => go(String(error)))))")`;
      const { result, errorCode } = await arena.runPython(worker, { timeoutMs: 5000 });
      assert.notEqual(result, 'it runs', errorCode);
    },
  },
  {
    id: 'PY-35',
    what: "listen on the runtime's internal sockets, and load files through its CommonJS loader, neither of which needs permission",
    stoppedBy: 'the bootstrap disables them; OS',
    attack: eachRefusedInPython(
      ({ secrets }) => [
        ...listens.map((listen) => `run_js(${JSON.stringify(listen)})`),
        'js.process.binding("tcp_wrap").TCP.new(1).listen(5)',
        ...['secret.js', '.env', 'secret.txt'].flatMap((file) => [
          `js.process.getBuiltinModule("module")._extensions[".mjs"](js.Object.new(), "${secrets}/${file}")`,
          `run_js("import('file://${secrets}/${file}', { with: { type: 'text' } })")`,
        ]),
      ],
      /Requires (?:net|read) access/,
    ),
  },
];
