import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { descendantsOf } from '../../server-under-test/processes.js';
import type { Places } from '../arena/places.js';
import { configOf } from '../arena/surroundings.js';
import { checkOwnFiles, eachRefused, type Refusal, withAttacked } from './attacked-server.js';
import type { ServerAttack } from './server-attack.js';
import { badEntry, callAll } from './upstream-definitions.js';

/** An upstream server over HTTP that echoes each request, with the status given in the path. */
async function withEchoServer(attack: (url: string) => Promise<void>): Promise<void> {
  const echoServer = createServer((request, response) => {
    const said = `${request.url ?? ''} ${JSON.stringify(request.rawHeaders)}`;
    response.statusMessage = (request.headers.authorization ?? '').replace(/[^\w -]/g, '');
    response.statusCode = Number(/\d{3}/.exec(request.url ?? '')?.[0]);
    response.setHeader('www-authenticate', said);
    response.setHeader('location', said);
    response.end(`{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":${JSON.stringify(said)}}}`);
  }).listen(0, '127.0.0.1');
  await once(echoServer, 'listening');
  try {
    await attack(`http://127.0.0.1:${(echoServer.address() as AddressInfo).port}`);
  } finally {
    echoServer.closeAllConnections();
    echoServer.close();
  }
}

const statuses = [200, 302, 401, 500];
const failing = ['die', 'refuse', 'garble', 'fail'];

/** Mistakes next to a secret: the message names the mistake, but not the secret. */
const mistakes: readonly [(canary: string) => object | string, RegExp][] = [
  [() => ({ security: { maxCodeSize: 'env:API_KEY' } }), /security\.maxCodeSize is a string \(/],
  [() => ({ log: { level: 'env:API_KEY' } }), /log\.level is a string \(/],
  [() => ({ schemaCache: { store: 'env:API_KEY' } }), /schemaCache\.store is a string /],
  [(canary) => ({ schemaCache: { store: `http://:${canary}@h` } }), /schemaCache\.store is a string /],
  [() => ({ policy: { ceiling: [{ is: 'env:API_KEY' }] } }), /policy\.ceiling\[0\] is an object /],
  [
    (canary) => ({ http: { clients: { me: { tokenHash: canary } } } }),
    /http\.clients\.me\.tokenHash is a string /,
  ],
  [(canary) => `{"mcpServers": {"a": {"env": {"TOKEN": "${canary}}}}`, /not valid JSON/],
  [(canary) => `{"mcpServers": {"a": {"env": {"TOKEN": ${canary}}}}}`, /not valid JSON/],
];

/** The same mistakes in single servers, which alone are left out. */
const badServers: readonly [string, (canary: string) => object, RegExp][] = [
  ['env', (canary) => ({ command: 'a', env: canary }), /mcpServers\.env\.env is a string /],
  ['url', (canary) => ({ url: `ftp://u:${canary}@h` }), /mcpServers\.url needs a url /],
  [
    'headers',
    (canary) => ({ url: 'http://h', headers: [canary] }),
    /mcpServers\.headers\.headers is an array/,
  ],
];

/** A client's configuration file with such mistakes. */
const clientFile = ({ home, canary }: Places) => ({
  mcpServers: { one: { command: 'x', env: canary }, two: { url: `ftp://u:${canary}@h` } },
  projects: { [home]: { mcpServers: { three: { command: 'x', args: canary, headers: [canary] } } } },
});

/** Attacks that look for secrets in all output. */
export const secrets: readonly ServerAttack[] = [
  {
    id: 'CFG-11',
    what: 'find a token in answers, log, errors, record, files or command lines: mistakes next to it, servers that repeat it',
    stoppedBy:
      'server (values are hidden and replaced by ***; nothing is passed as an argument; files are 0600)',
    async attack() {
      await eachRefused(
        mistakes.map(([config, said]): Refusal => [
          {
            async prepare({ canary }, file) {
              const content = config(canary);
              await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
            },
          },
          said,
        ]),
      );
      await withEchoServer(async (url) => {
        const remote = (status: number) => ({
          url: `${url}/${status}?key=env`,
          headers: { Authorization: 'Bearer ${API_KEY}', 'X-Key': 'env:API_KEY' },
        });
        const byStatus = statuses.map((status) => [`http${status}`, remote(status)] as const);
        const config = {
          mcpServers: { dies: badEntry('dies'), works: badEntry('works'), ...Object.fromEntries(byStatus) },
          policy: {},
          log: { level: 'trace' },
        };
        await withAttacked(
          {
            async prepare(places) {
              await writeFile(join(places.home, '.claude.json'), JSON.stringify(clientFile(places)));
              const schemaCache = { store: `redis://:${places.canary}@127.0.0.1:1` };
              const bad = badServers.map(([name, entry]) => [name, entry(places.canary)] as const);
              const mcpServers = { ...config.mcpServers, ...Object.fromEntries(bad) };
              const all = { ...configOf(places), ...config, mcpServers, schemaCache };
              await writeFile(join(places.home, '.code-executor.json'), JSON.stringify(all));
            },
          },
          async (server) => {
            const names = [
              ...failing.map((tool) => `mcp__works__${tool}`),
              ...['dies', ...byStatus.map(([name]) => name)].map((name) => `mcp__${name}__work`),
            ];
            const outcomes = await callAll(server, names);
            assert.deepEqual(
              outcomes.filter(({ message }) => message === undefined),
              [],
            );
            for (const [, , said] of badServers) assert.match(server.output.log, said);
            const { canary } = server.places;
            assert.ok(!JSON.stringify(await server.health()).includes(canary));
            const processes = await descendantsOf(server.pid);
            const lines = [
              readFileSync(`/proc/${server.pid}/cmdline`, 'utf8'),
              ...processes.map((each) => each.commandLine),
            ];
            assert.ok(!lines.join('\n').includes(canary), 'An argument contains a secret.');
            await checkOwnFiles(server.places);
            await rm(join(server.places.home, '.claude.json'));
          },
        );
      });
    },
  },
];
