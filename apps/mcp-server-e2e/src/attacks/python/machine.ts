import assert from 'node:assert/strict';

import type { ProgramAttack } from '../arena/program-attack.js';
import { outcomesOf } from '../typescript/attempts.js';
import { attemptPythonProgram, eachRefusedInPython } from './python-attempts.js';

/** The report of a program that ended without a value; `error` says why. */
export const endedEarly = { success: false, errorCode: 'ended_early', result: undefined };

/** Attacks on the files, processes and network of the machine, through the functions of Python and Pyodide. */
export const machine: readonly ProgramAttack[] = [
  {
    id: 'PY-03',
    what: 'read files through loaders of Pyodide: loadBinaryFile, loadPackage, loadDynlib, another indexURL',
    stoppedBy: 'Deno; OS',
    async attack({ runPython, places: { secrets, port } }) {
      const { result, stderr = '' } = await runPython(
        attemptPythonProgram([
          `pyodide_js._api.loadBinaryFile("${secrets}/secret.txt")`,
          `pyodide_js._api.loadBinaryFile("file://${secrets}/secret.txt")`,
          `pyodide_js._api.loadDynlib("${secrets}/data", False)`,
          `pyodide_js.loadPackage("file://${secrets}/x-1.0-py3-none-any.whl")`,
          `pyodide_js.loadPackage("http://127.0.0.1:${port}/x-1.0-py3-none-any.whl")`,
          `js.Object.assign(pyodide_js._api.config, js.JSON.parse('{"indexURL":"${secrets}/","packageBaseUrl":"${secrets}/"}')) and pyodide_js._api.loadBinaryFile("secret.txt")`,
          '__import__("micropip").install("x")',
        ]),
      );
      // A package that cannot be loaded is a line on stderr; the effects are checked after the attack.
      const got = (result as { got?: string }[]).flatMap((outcome) => outcome.got ?? []);
      assert.deepEqual(
        got.filter((text) => text !== '' && text !== '[]' && text !== 'None'),
        [],
      );
      assert.match(stderr, /Requires read access|This execution has no network/);
    },
  },
  {
    id: 'PY-08',
    what: "mount folders of the machine, and look for them in Python's file system: mountNodeFS, NODEFS, links, /proc, /dev",
    stoppedBy: "Deno; Python's files are in its memory",
    async attack({ runPython, places: { secrets, home } }) {
      const mount = (type: string) =>
        `(js.FS.mount(js.FS.filesystems.${type}, js.JSON.parse('{"root":"${secrets}"}'), "/mnt"), os.listdir("/mnt"))`;
      const outcomes = outcomesOf(
        await runPython(
          `import js, os, pyodide_js\njs.globalThis.FS = pyodide_js.FS\nos.makedirs("/mnt", exist_ok=True)\n${attemptPythonProgram(
            [
              `pyodide_js.mountNodeFS("/host", "${secrets}")`,
              mount('NODEFS'),
              mount('NATIVEFS_ASYNC'),
              `open("${secrets}/secret.txt").read()`,
              `os.listdir("${home}")`,
              `(os.symlink("${secrets}", "/tmp/link"), os.listdir("/tmp/link"))`,
              '(os.symlink("/proc/self/root", "/tmp/root"), os.listdir("/tmp/root/etc"))',
              'open("/etc/passwd").read()',
              'open("/proc/self/cmdline").read()',
              'open("/proc/1/environ").read()',
              'os.listdir("/proc/self/cwd")',
            ],
          )}`,
        ),
      );
      assert.deepEqual(
        outcomes.filter(({ got }) => got !== undefined),
        [],
      );
    },
  },
  {
    id: 'PY-05',
    what: 'start processes: os.system, os.popen, subprocess, exec, spawn, fork, the system() of libc',
    stoppedBy: 'WebAssembly has no processes; Deno, whose refusal ends the interpreter; OS',
    async attack(arena) {
      const { secrets } = arena.places;
      await eachRefusedInPython(() => [
        `os.popen("cat ${secrets}/secret.txt").read()`,
        `os.system("touch ${secrets}/new")`,
        `subprocess.run(["touch", "${secrets}/new"])`,
        `subprocess.check_output("cat ${secrets}/secret.txt", shell=True)`,
        `os.execv("/bin/sh", ["sh", "-c", "touch ${secrets}/new"])`,
        'os.fork()',
        'os.forkpty()',
        `os.spawnlp(os.P_WAIT, "touch", "touch", "${secrets}/new")`,
        `os.posix_spawn("/bin/true", ["true"], {})`,
        `asyncio.create_subprocess_exec("touch", "${secrets}/new")`,
        '__import__("pty").spawn("/bin/sh")',
        'os.kill(1, 9)',
      ])(arena);
      const start = `import ctypes\nctypes.CDLL(None).system(b"touch ${secrets}/new")`;
      const { success, errorCode, result } = await arena.runPython(`${start}\n"it went on"`);
      assert.deepEqual({ success, errorCode, result }, endedEarly);
    },
  },
  {
    id: 'PY-09',
    what: 'connect: urllib, sockets, js.fetch, pyfetch, open_url, XMLHttpRequest, WebSocket, to loopback and metadata services',
    stoppedBy: 'no sockets in WebAssembly; Deno; server (permissions.net); OS',
    async attack(arena) {
      const { port, socket } = arena.places;
      const addresses = [`127.0.0.1:${port}`, `[::1]:${port}`, '169.254.169.254', '[fd00:ec2::254]'];
      await eachRefusedInPython(() => [
        ...addresses.flatMap((address) => [
          `urllib.request.urlopen("http://${address}/", timeout=1).read()`,
          `js.fetch("http://${address}/")`,
          `importlib.import_module("pyodide.http").pyfetch("http://${address}/")`,
        ]),
        `importlib.import_module("pyodide.http").open_url("http://127.0.0.1:${port}/")`,
        `js.XMLHttpRequest.new()`,
        `js.WebSocket.new("ws://127.0.0.1:${port}/")`,
        `js.Deno.connect(js.JSON.parse('{"hostname":"127.0.0.1","port":${port}}'))`,
        `js.Deno.connect(js.JSON.parse('{"transport":"unix","path":"${socket}"}'))`,
        `js.Deno.resolveDns("canary.example", "A")`,
        `run_js("import('http://127.0.0.1:${port}/module.js')")`,
        `run_js("import('npm:left-pad')")`,
        `run_js("new Promise((go, fail) => process.getBuiltinModule('net').connect(${port}, '127.0.0.1', go).on('error', fail))")`,
        `socket.create_connection(("127.0.0.1", ${port}), 1).send(b"x")`,
        `socket.socket(socket.AF_UNIX).connect("${socket}")`,
        `asyncio.open_connection("127.0.0.1", ${port})`,
        `importlib.import_module("http.client").HTTPConnection("127.0.0.1", ${port}, timeout=1).request("GET", "/")`,
        `js.fetch("file:///etc/passwd")`,
        `urllib.request.urlopen("file:///etc/passwd").read()`,
      ])(arena);
      // These are created, and fail later.
      await arena.runPython(
        `import js\njs.EventSource.new("http://127.0.0.1:${port}/")\njs.navigator.sendBeacon and js.navigator.sendBeacon("http://127.0.0.1:${port}/", "x")`,
      );
      await arena.runPython(
        `import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.sendto(b"x", ("127.0.0.1", ${port}))\ns.sendto(b"x", ("canary.example", 53))`,
      );
    },
  },
  {
    id: 'PY-34',
    what: 'get files granted, or hosts that the server does not grant',
    stoppedBy: 'server (Python does not accept permissions.read and write; allowNetwork)',
    async attack({ runPython, places: { readable, writable, port } }) {
      for (const permissions of [{ read: [readable] }, { write: [writable] }]) {
        const { success, errorCode } = await runPython('1', { permissions });
        assert.deepEqual({ success, errorCode }, { success: false, errorCode: 'invalid_argument' });
      }
      for (const url of [
        `http://127.0.0.1:${port}/`,
        `http://localhost:${port}/`,
        'http://169.254.169.254/',
      ]) {
        const { success } = await runPython(
          `from pyodide.http import pyfetch\nawait (await pyfetch("${url}")).text()`,
          { permissions: { net: ['*', `*:${port}`] } },
        );
        assert.equal(success, false, url);
      }
    },
  },
  {
    id: 'PY-21',
    what: 'keep something on disk: localStorage, sessionStorage, caches, SQLite files, a full /tmp',
    stoppedBy: "the bootstrap; Python's files are in its memory, which is limited",
    async attack(arena) {
      const kept = `import js, os, sqlite3
db = sqlite3.connect("/tmp/kept.db")
db.execute("create table if not exists kept(x)")
db.execute("insert into kept values (1)")
db.commit()
open("/home/pyodide/kept", "w").write("x")
[[hasattr(js.globalThis, name) for name in ("localStorage", "sessionStorage", "caches")], db.execute("select count(*) from kept").fetchone()[0], os.path.exists("/tmp/other")]`;
      for (let round = 0; round < 2; round++) {
        assert.deepEqual((await arena.runPython(kept)).result, [[false, false, false], 1, false]);
      }
      const full = await arena.runPython(
        'with open("/tmp/full", "wb") as file:\n    while True:\n        file.write(b"x" * (16 << 20))',
        { timeoutMs: 15_000 },
      );
      assert.equal(full.success, false);
    },
  },
];
