import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { withServer } from '../../server-under-test/started-server.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import { StdioArena } from '../arena/stdio-arena.js';
import { attemptProgram, outcomesOf } from './attempts.js';

const smallInternet = new URL('./fake-internet.mjs', import.meta.url).href;

/** An attack through granted hosts that lead to this machine. */
export const redirectedToThisMachine: ProgramAttack = {
  id: 'PRX-24',
  what: 'be directed to this machine by granted hosts: one of several addresses, the second answer of a resolver, redirects',
  stoppedBy:
    'server (every address of a name is checked at each connection, and each redirect is checked like a request)',
  async attack({ mode }) {
    let targets: readonly string[] = [];
    const web = createServer(({ url = '' }, response) => {
      const target = targets[Number(url.slice(1))];
      if (url === '/' || target === undefined) response.end('a page');
      else response.writeHead(302, { location: target, connection: 'close' }).end();
    });
    const env = {
      NODE_OPTIONS: `--import=${smallInternet}`,
      FAKE_INTERNET: `${await listen(web)}:${await closedPort()}`,
    };
    try {
      await withServer(StdioArena.start(mode, { env }), async (server) => {
        const { port } = server.places;
        targets = targetsAt(port);
        const refused = [
          ...['mixed', 'inside-first', 'mapped'].map((name) => `http://${name}.example.com:${port}/`),
          ...targets.map((_target, index) => `http://public.example.com/${index}`),
          // It was requested before, and that first connection went to the public address.
          `http://rebinding.example.com:${port}/`,
        ];
        const allowed = ['http://public.example.com/', 'http://rebinding.example.com/'];
        const read = (url: string) => `fetch(${JSON.stringify(url)}).then((response) => response.text())`;
        const outcomes = outcomesOf(
          await server.run(attemptProgram([...allowed, ...refused].map(read)), {
            permissions: { net: grantsAt(port) },
            timeoutMs: 60_000,
          }),
        );
        assert.deepEqual(
          outcomes.slice(0, allowed.length).map(({ got }) => got),
          ['a page', 'a page'],
        );
        assert.deepEqual(
          outcomes.slice(allowed.length).filter(({ refusal }) => refusal === undefined),
          [],
        );
        assert.deepEqual(server.takeCaught(), [], 'Something connected to a trap.');
      });
    } finally {
      web.closeAllConnections();
      web.close();
    }
  },
};

/** Where the web server redirects to: the trap on a port of this machine, and hosts that were not granted. */
const targetsAt = (port: number) => [
  `http://127.0.0.1:${port}/`,
  `http://localhost:${port}/`,
  `//127.0.0.1:${port}/`,
  'http://169.254.169.254/',
  `http://mixed.example.com:${port}/`,
  'http://other.example.com/',
  'file:///etc/passwd',
];

/** Everything but `other.example.com` is granted, so that only the check of addresses protects the trap. */
const grantsAt = (port: number) => [
  ...['public', 'mixed', 'inside-first', 'mapped', 'rebinding']
    .map((name) => `${name}.example.com`)
    .flatMap((name) => [name, `${name}:${port}`]),
  ...['127.0.0.1', 'localhost'].map((name) => `${name}:${port}`),
  '169.254.169.254',
];

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  return port;
}
