import assert from 'node:assert/strict';

import { withServer } from '../../server-under-test/started-server.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import { StdioArena } from '../arena/stdio-arena.js';
import { attemptProgram, outcomesOf } from './attempts.js';
import { forging } from './forgery.js';
import { redirectedToThisMachine } from './redirected-to-this-machine.js';

/** Attacks that use granted hosts. */
export const grantedHosts: readonly ProgramAttack[] = [
  {
    id: 'PRX-21',
    what: 'fetch, with every host granted, addresses of this machine, its network and its cloud in every spelling',
    stoppedBy: 'server (addresses are checked after they are resolved)',
    async attack({ run, places: { port } }) {
      const hosts = [
        '127.0.0.1',
        'localhost',
        '[::]',
        '[::1]',
        '0.0.0.0',
        '0177.0.0.1',
        '0x7f.1',
        '2130706433',
        '127.1',
        '[::ffff:7f00:1]',
        '[::ffff:127.0.0.1]',
        '[64:ff9b::7f00:1]',
        '169.254.169.254',
        '10.0.0.1',
        '172.16.0.1',
        '192.168.0.1',
        '100.64.0.1',
        '[fc00::1]',
        '[fe80::1]',
        '[fd00:ec2::254]',
        'localhost.',
        '127.0.0.1.',
        'LOCALHOST',
      ];
      const outcomes = outcomesOf(
        await run(
          attemptProgram(
            [
              ...hosts,
              'metadata.google.internal',
              '\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3',
              '\uff11\uff12\uff17.0.0.1',
            ].flatMap((host) => [
              `fetch("http://${host}:${port}/")`,
              `fetch("http://user:pass@${host}:${port}/", { method: "POST", body: "x" })`,
            ]),
          ),
          { permissions: { net: [...hosts, ...hosts.map((host) => `${host}:${port}`)] }, timeoutMs: 60_000 },
        ),
      );
      assert.deepEqual(
        outcomes.filter(({ refusal }) => refusal === undefined),
        [],
      );
      const refusedForAddress = outcomes.filter(({ refusal }) => /not a public address/.test(refusal ?? ''));
      assert.ok(refusedForAddress.length >= 20, `${refusedForAddress.length} of ${outcomes.length}`);
    },
  },
  {
    id: 'PRX-22',
    what: 'fetch from a host that the server never grants',
    stoppedBy: 'server (security.allowNetwork)',
    async attack({ mode }) {
      const config = { security: { allowNetwork: ['example.com'] } };
      await withServer(StdioArena.start(mode, { config }), async ({ run }) => {
        const { result } = await run(
          'return await fetch("http://example.org/").catch((error) => error.code)',
          { permissions: { net: ['example.org', '*.example.com'] } },
        );
        assert.equal(result, 'permission_denied');
      });
    },
  },
  {
    id: 'PRX-23',
    what: 'fetch other schemes than HTTP, and inject into a header, a method or an address',
    stoppedBy: 'server',
    async attack({ run, places: { port, secrets, socket } }) {
      const urls = [
        `file://${secrets}/secret.txt`,
        `gopher://127.0.0.1:${port}/x`,
        `ftp://127.0.0.1:${port}/`,
        `data:text/plain,x`,
        `unix:${socket}`,
        `http+unix://${socket}`,
        `ws://127.0.0.1:${port}/`,
        `blob:null/x`,
        `javascript:1`,
        `http://127.0.0.1:${port}\\r\\nx: y/`,
      ];
      const outcomes = outcomesOf(
        await run(
          attemptProgram([
            ...urls.map((url) => `fetch("${url}")`),
            `fetch("http://example.com/", { headers: { "x\\r\\ny": "z" } })`,
            `fetch("http://example.com/", { headers: { x: "y\\r\\nz: 1" } })`,
            `fetch("http://example.com/", { method: "GET / HTTP/1.1\\r\\nx:" })`,
            `fetch("http://example.com/", { method: "CONNECT" })`,
          ]),
          { permissions: { net: ['127.0.0.1', `127.0.0.1:${port}`, 'example.com'] } },
        ),
      );
      assert.deepEqual(
        outcomes.filter(({ refusal }) => refusal === undefined),
        [],
      );
      // The runtime refuses some of these before the server sees them, so they are also written to the pipe.
      const requests = [
        ...urls.map((url) => ({ url })),
        ...['file:///etc/passwd', `ftp://127.0.0.1:${port}/`, 'http://user:pw@example.com/'].map((url) => ({
          url,
        })),
        ...['http://example.org/', 'http://example.com:81/', 'http://example.com/\nx: y'].map((url) => ({
          url,
        })),
        ...['CONNECT', 'TRACE', 'GET / HTTP/1.1\r\nx:'].map((method) => ({ method })),
        ...[
          ['x\r\ny', 'z'],
          ['x', 'y\r\nz: 1'],
          ['x', 'y\0'],
        ].map((header) => ({ headers: [header] })),
        { body: 'eA==' },
      ].map((request) => ({ url: 'http://example.com/', method: 'GET', headers: [], ...request }));
      const { output } = await run(
        `${forging}
         await listed; const decoder = new TextDecoder(); let id = 1;
         for (const params of ${JSON.stringify(requests)}) frame({ type: "call", id: ++id, method: "fetch", params });
         const buffer = new Uint8Array(1 << 20); let text = "";
         while (text.split("\\n").length < id) text += decoder.decode(buffer.subarray(0, await Deno.stdin.read(buffer)));
         console.log(text); Deno.exit(0);`,
        { permissions: { net: ['127.0.0.1', `127.0.0.1:${port}`, 'example.com'] } },
      );
      const replies = output.split('\n').flatMap((line) => (/^\{"id":(?!1,)/.test(line) ? [line] : []));
      assert.equal(replies.length, requests.length);
      assert.deepEqual(
        replies.filter((line) => !/"code":"(?:invalid_argument|permission_denied)"/.test(line)),
        [],
      );
    },
  },
  redirectedToThisMachine,
];
