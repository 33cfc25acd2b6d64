import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

import type { ProgramAttack } from '../arena/program-attack.js';
import { eachRefused } from './attempts.js';
import { echo, inspectProcess } from './inspect-process.js';
import { call } from './tool-calls.js';

/** JavaScript expressions that make an unbound socket listen, for each way to reach the runtime's internal socket class. */
export const listens = [
  'new (process.binding("tcp_wrap").TCP)(1).listen(5)',
  'new (process.binding("pipe_wrap").Pipe)(1).listen(5)',
  'new (process.getBuiltinModule("module").createRequire("/")("internal/test/binding").internalBinding("tcp_wrap").TCP)(1).listen(5)',
  '(() => { const s = process.getBuiltinModule("net").connect(9, "127.0.0.1"); s.on("error", () => {}); return s._handle.listen(5) })()',
  '(() => { const { TCP } = process.binding("tcp_wrap"); return Object.getPrototypeOf(new TCP(1)).listen.call(new TCP(1), 5) })()',
  '(() => { const { TCP } = process.binding("tcp_wrap"); return Reflect.construct(TCP, [1], class extends TCP {}).listen(5) })()',
];

/** Prototypes of sockets that a program can reach before the module of sockets is loaded. */
const sharedPrototypes = {
  HandleWrap: `const socket = (await import("node:dgram")).createSocket("udp4");
    let shared = Object.getOwnPropertySymbols(socket).map((key) => socket[key]?.handle).find((handle) => handle);`,
  AsyncWrap: 'let shared = new (await import("node:dns")).Resolver()._handle;',
};
/** Changes of these prototypes, meant to divert later changes of sockets to the program's own object, or to nothing. */
const interceptions = [
  'Object.setPrototypeOf(shared, null);',
  'Object.defineProperty(shared, "isStreamBase", { value: 1, writable: true });',
  'Object.defineProperty(shared, "isStreamBase", { set() { kept.push(this) } });',
];
const ahead = Object.entries(sharedPrototypes).flatMap(([name, find]) =>
  interceptions.map(
    (intercept) => `${find}
      while (shared.constructor.name !== "${name}") shared = Object.getPrototypeOf(shared);
      const kept = [];
      ${intercept}
      const { TCP } = process.binding("tcp_wrap");
      return (kept.find((prototype) => prototype.listen) ?? TCP.prototype).listen.call(new TCP(1), 5);`,
  ),
);

/** Calls every reachable function of the runtime whose name suggests connections; then calls a tool. */
const callAll = (port: number) => `
  const { createRequire, builtinModules } = await import("node:module");
  const require = createRequire("/");
  const roots = [globalThis, require("internal/test/binding"), require("internal/net"), require("internal/dgram")];
  for (const name of [...builtinModules, "node:sqlite", "node:test"])
    roots.push(await import(name.replace(/^(?:node:)?/, "node:")).catch(() => undefined));
  for (const name of ["async", "buffer", "cares", "config", "contextify", "crypto", "fs", "fs_event", "http2", "http_parser", "inspector", "js_stream", "js_udp", "messaging", "os", "pipe", "process", "process_methods", "quic", "serdes", "signal", "spawn_sync", "stream", "stream_pipe", "tcp", "tls", "tty", "udp", "uv", "wasi", "worker"])
    for (const full of [name, name + "_wrap"]) try { roots.push(process.binding(full)) } catch { /* Unknown. */ }
  const seen = new Set(roots.filter(Object));
  const isNative = (value) => typeof value === "function" && /\\[native code\\]/.test(Function.prototype.toString.call(value));
  const connecting = /^_?(?:accept|bind|connect|fchmod|listen|open|recv|send|serve|take|upgrade)/i;
  const lists = [[], [5], ["127.0.0.1", 0], ["127.0.0.1", 0, 0], [{}, "127.0.0.1", ${port}], [{ port: 0 }]];
  // Some objects require permissions for any access.
  const tried = (make) => {
    try {
      const made = make();
      if (made instanceof Promise) made.catch(() => {});
      return made;
    } catch { return undefined }
  };
  let calls = 0;
  for (const owner of seen) {
    for (const [name, { value }] of Object.entries(tried(() => Object.getOwnPropertyDescriptors(owner)) ?? {})) {
      if (!isNative(value) || !connecting.test(name) || owner === Function.prototype) continue;
      const made = [[], [0], [1]].map((list) => tried(() => new owner.constructor(...list)));
      for (const receiver of [owner, ...made.filter(Object)])
        for (const list of name === "open" ? [[7], [9]] : lists) {
          calls++;
          tried(() => value.apply(receiver, list));
        }
    }
    for (const key of tried(() => Reflect.ownKeys(owner)) ?? []) {
      const value = ArrayBuffer.isView(owner) && typeof key === "string" ? undefined : tried(() => owner[key]);
      if (Object(value) === value) seen.add(value);
    }
    const prototype = tried(() => Object.getPrototypeOf(owner));
    if (prototype) seen.add(prototype);
  }
  if (seen.size < 5000 || calls < 20) throw new Error(seen.size + " objects, " + calls + " calls");
  ${call(echo)};
  await new Promise((go) => setTimeout(go, 20_000));`;

/** The sockets of a process that are connected or reachable from outside, as Linux lists them. */
export function socketsOf(pid: number): string[] {
  const links = readdirSync(`/proc/${pid}/fd`).map((descriptor) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
    } catch {
      return '';
    }
  });
  const own = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
  const table = (name: string) =>
    readFileSync(`/proc/${pid}/net/${name}`, 'utf8').trim().split('\n').slice(1);
  const inet = ['tcp', 'tcp6', 'udp', 'udp6', 'raw', 'raw6'].flatMap((name) =>
    table(name).filter((line) => own.has(line.trim().split(/\s+/)[9])),
  );
  // Only those that listen, because its streams and its internal pairs do not.
  const unix = table('unix').filter((line) => {
    const [, , , flags, , , inode] = line.trim().split(/\s+/);
    return own.has(inode) && flags === '00010000';
  });
  return [...inet, ...unix];
}

/** Attacks with the runtime's native sockets, which need no permission as long as they are not bound. */
export const nativeSockets: readonly ProgramAttack[] = [
  {
    id: 'NET-04',
    what: "listen on the runtime's internal sockets, which need no permission: process.binding, internal/test/binding, handles, prototypes",
    stoppedBy: 'the bootstrap disables them; OS',
    async attack(arena) {
      await eachRefused(() => listens, /Requires net access/)(arena);
      for (const program of ahead) {
        const { success, error } = await arena.run(program);
        assert.deepEqual(
          [success, /Requires net access/.test(error ?? '')],
          [false, true],
          `${program}\n${error}`,
        );
      }
      await inspectProcess(
        arena,
        (pid) => assert.deepEqual(socketsOf(pid), []),
        ({ run, places: { port, readable } }, options) =>
          run(callAll(port), { permissions: { read: [readable] }, ...options }),
      );
    },
  },
];
