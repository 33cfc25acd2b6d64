import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { type ClientId, clientIds, type HttpArena } from '../arena/http-arena.js';
import type { HttpAttack } from './http-attack.js';
import { statusOfRaw } from './raw-call.js';
import { tcpTable } from './tcp-table.js';

const nobodyId = 65_534;
const pay = 'mcp__fixture__pay';
const echo = 'mcp__fixture__echo';

/** Runs an attack that restarts the server for other clients; afterwards restores the usual clients. */
async function withOthers(arena: HttpArena, attack: () => Promise<void>): Promise<void> {
  try {
    await attack();
  } finally {
    await arena.restart(clientIds);
  }
}

/** The token that the server generated. */
const generatedToken = async (arena: HttpArena) => (await readFile(arena.tokenFile, 'utf8')).trim();
const statusWith = async (arena: HttpArena, token: string) =>
  (await arena.ask('/mcp/tools?limit=1', token)).status;

/** Attacks on authentication. */
export const tokens: readonly HttpAttack[] = [
  {
    id: 'PRX-01',
    what: 'send no token, or one that is empty, wrong, truncated, hashed, repeated, in another place, in another scheme',
    stoppedBy: 'server (one exact header; digests are compared in constant time)',
    async attack(arena) {
      const token = arena.tokens.constructor;
      const hash = createHash('sha256').update(token).digest();
      for (const authorization of [
        [],
        ['Authorization:'],
        ['Authorization: Bearer'],
        ['Authorization: Bearer constructor'],
        [`Authorization: ${token}`],
        [`Authorization: bearer ${token}`],
        [`Authorization: BEARER ${token}`],
        [`Authorization: Basic ${token}`],
        [`Authorization: Basic ${Buffer.from(`constructor:${token}`).toString('base64')}`],
        [`Authorization: Token ${token}`],
        [`Authorization: Bearer  ${token}`],
        [`Authorization: Bearer\t${token}`],
        [`Authorization: Bearer ${token}\xa0`],
        [`Authorization: Bearer "${token}"`],
        [`Authorization: Bearer ${token}x`],
        [`Authorization: Bearer ${token.slice(0, -1)}`],
        [`Authorization: Bearer ${token}=`],
        [`Authorization: Bearer ${token.toUpperCase()}`],
        [`Authorization: Bearer ${token}, Bearer ${token}`],
        [`Authorization: Bearer x, Bearer ${token}`],
        [`Authorization: Bearer sha256:${hash.toString('hex')}`],
        [`Authorization: Bearer ${hash.toString('hex')}`],
        [`Authorization: Bearer ${hash.toString('base64url')}`],
        [`Authorization: Bearer ${'x'.repeat(15_000)}`],
        [`Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`],
        ['Authorization: Bearer x', `Authorization: Bearer ${token}`],
        [`Authorization: Bearer ${token}`, 'Authorization: Bearer x'],
        [`Proxy-Authorization: Bearer ${token}`],
        [`X-Auth-Token: ${token}`, `Cookie: token=${token}; authorization=Bearer ${token}`],
      ])
        assert.equal(await statusOfRaw(arena, { authorization }), 401, authorization.join('\n'));
      for (const target of [
        `POST /?token=${token} HTTP/1.1`,
        `POST /?access_token=${token}&authorization=Bearer+${token} HTTP/1.1`,
        'GET /mcp/tools HTTP/1.1',
        'GET /none HTTP/1.1',
        'PUT / HTTP/1.1',
        'GET /%zz HTTP/1.1',
      ])
        assert.ok([400, 401].includes(await statusOfRaw(arena, { target, authorization: [] })), target);
      assert.equal(await statusOfRaw(arena, { authorization: [`Authorization: Bearer ${token}\0`] }), 400);
      assert.deepEqual(await arena.takeUpstreamCalls(), []);
    },
  },
  {
    id: 'PRX-03',
    what: "use the rights of others: a token for another client's tool, a revoked one, one of a server that has ended",
    stoppedBy: 'server (a policy for each client; a generated token is valid for one start)',
    async attack(arena) {
      const statusOfCall = async (id: ClientId, tool: string) =>
        (await arena.call(tool, tool === pay ? { amount: 1 } : {}, id)).status;
      assert.deepEqual([await statusOfCall('alice', pay), await statusOfCall('bob', echo)], [403, 403]);
      assert.deepEqual(await arena.takeUpstreamCalls(), []);
      assert.deepEqual([await statusOfCall('alice', echo), await statusOfCall('bob', pay)], [200, 200]);
      await withOthers(arena, async () => {
        await arena.restart(['bob']);
        assert.equal(await statusWith(arena, arena.tokens.alice), 401);
        assert.equal(await statusWith(arena, arena.tokens.bob), 200);
        await arena.restart([]);
        const first = await generatedToken(arena);
        for (const id of clientIds) assert.equal(await statusWith(arena, arena.tokens[id]), 401);
        assert.equal(await statusWith(arena, first), 200);
        await arena.end();
        await assert.rejects(access(arena.tokenFile));
        await arena.restart([]);
        const second = await generatedToken(arena);
        assert.deepEqual([await statusWith(arena, first), await statusWith(arena, second)], [401, 200]);
      });
    },
  },
  {
    id: 'PRX-31',
    what: 'be another user of this machine, or of another one: read the token, call without it, connect to another address',
    stoppedBy: 'server (a file of mode 0600 in a folder of mode 0700; the token; a loopback address)',
    async attack(arena) {
      await withOthers(arena, async () => {
        await arena.restart([]);
        const token = await generatedToken(arena);
        const modes = [arena.tokenFile, dirname(arena.tokenFile)].map((path) => statSync(path).mode & 0o777);
        assert.deepEqual(modes, [0o600, 0o700]);
        // Every user can read the command line of a process.
        assert.ok(!readFileSync(`/proc/${arena.pid}/cmdline`, 'utf8').includes(token));
        assert.ok(!arena.output.log.includes(token));
        const listening = tcpTable().filter(
          ({ port, state }) => port === arena.port && state === 'listening',
        );
        assert.deepEqual(
          listening.map(({ address }) => address),
          ['0100007F'],
        );
        const other = process.getuid?.() === 0 ? { uid: nobodyId, gid: nobodyId } : {};
        const read = (path: string) => spawnSync('cat', [path], { ...other, encoding: 'utf8' });
        if (other.uid !== undefined) {
          assert.deepEqual([read(arena.tokenFile).status, read(arena.tokenFile).stdout], [1, '']);
          assert.equal(read(`/proc/${arena.pid}/environ`).stdout, '');
        }
        const program = `fetch('http://127.0.0.1:${arena.port}/mcp/tools').then(({ status }) => console.log(status))`;
        const asked = spawnSync(process.execPath, ['-e', program], { ...other, cwd: '/', encoding: 'utf8' });
        assert.equal(asked.stdout, '401\n', asked.stderr);
      });
    },
  },
];
