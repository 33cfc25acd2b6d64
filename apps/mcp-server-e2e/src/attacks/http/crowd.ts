import assert from 'node:assert/strict';

import { recordsIn, takeRecords } from '../arena/audit-records.js';
import type { Answer, HttpArena } from '../arena/http-arena.js';
import type { HttpAttack } from './http-attack.js';
import { echoCall, statusOfRaw } from './raw-call.js';

/** More than the server accepts. */
const halfOpenConnections = 1100;
const realCalls = 40;
/** The limit for each client and each kind of request. */
const maxRequests = 30;
const maxRecordBytes = 200_000;

/** Attacks with many requests, at once and one after the other. */
export const crowd: readonly HttpAttack[] = [
  {
    id: 'PRX-38',
    what: 'lock clients out: 1,100 connections without a token that send half a request, opened again and again',
    stoppedBy: 'server (at 1,024 connections the oldest without a complete request is closed)',
    async attack(arena) {
      const { isFull, stop } = flood(arena);
      await isFull;
      try {
        const statuses = [];
        // Each on its own connection, like a client that starts now.
        for (let n = 0; n < realCalls; n++) statuses.push(await statusOfRaw(arena, {}));
        assert.deepEqual(statuses, Array<number>(realCalls).fill(200));
      } finally {
        await stop();
      }
      await arena.takeUpstreamCalls();
    },
  },
  {
    id: 'PRX-39',
    what: 'fill the disk with records: a thousand requests of each kind that is refused, with and without a token',
    stoppedBy: 'server (100 records per kind, client and minute, then one that counts the rest)',
    async attack(arena) {
      await takeRecords(arena.places);
      for (const init of [{}, { headers: { origin: 'null' } }, { method: 'PUT' }]) {
        for (const token of [arena.tokens.alice, 'none']) {
          for (let n = 0; n < 300; n++) await arena.ask('/none', token, init);
        }
      }
      const text = await takeRecords(arena.places);
      assert.ok(text.length < maxRecordBytes, `It wrote ${text.length} bytes.`);
      // Refusals from before may be counted in these records too.
      const recorded = new Set(recordsIn(text).map(({ type, httpStatus }) => `${type} ${httpStatus ?? ''}`));
      for (const kind of ['auth_failure 401', 'request_refused 403', 'request_refused 404']) {
        assert.ok(recorded.has(kind), kind);
      }
    },
  },
  {
    id: 'PRX-40',
    what: 'call and search as fast as possible, one after the other and all at once, through several spellings of one route',
    stoppedBy: 'server (30 calls and 30 searches a minute for each client)',
    async attack(arena) {
      const headers = { 'content-type': 'application/json' };
      const call = { method: 'POST', body: echoCall, headers };
      await exceedLimit(arena, call, ['/', '/?a', '/?']);
      assert.equal((await arena.takeUpstreamCalls()).length, maxRequests);
      await exceedLimit(arena, {}, ['/mcp/tools', '/mcp/tools?q=echo', '/mcp/tools?q=pay&limit=1']);
      // Other clients are still served.
      assert.equal((await arena.call('mcp__fixture__echo')).status, 200);
      await arena.takeUpstreamCalls();
    },
  },
];

/** Keeps as many half-open connections as it can get until `stop` is called. */
function flood(arena: HttpArena): { isFull: Promise<void>; stop: () => Promise<void> } {
  let isOver = false as boolean;
  let opened = 0;
  let onFull: () => void = () => undefined;
  const isFull = new Promise<void>((resolve) => (onFull = resolve));
  const open = new Set<{ destroy(): unknown }>();
  const keepOne = async () => {
    while (!isOver) {
      const { socket, closed } = arena.connect();
      open.add(socket);
      socket.once('connect', () => {
        socket.write('POST / HTTP/1.1\r\nHost: ');
        if (++opened === halfOpenConnections) onFull();
      });
      await closed;
      open.delete(socket);
    }
  };
  const all = Array.from({ length: halfOpenConnections }, keepOne);
  const stop = async () => {
    isOver = true;
    for (const socket of open) socket.destroy();
    await Promise.all(all);
  };
  return { isFull, stop };
}

/** Sends too many requests; checks that exactly the allowed number is answered. */
async function exceedLimit(arena: HttpArena, init: RequestInit, paths: readonly string[]): Promise<void> {
  const ask = (n: number) => arena.ask(paths[n % paths.length] ?? '', arena.tokens.hasty, init);
  const answers: Answer[] = [];
  for (let n = 0; n < 20; n++) answers.push(await ask(n));
  answers.push(...(await Promise.all(Array.from({ length: 100 }, (_, n) => ask(n)))));
  const refused = answers.filter(({ status }) => status === 429);
  assert.ok(refused.every((answer) => Number(answer.headers.get('retry-after')) > 0));
  assert.deepEqual(
    answers.filter((answer) => !refused.includes(answer)).map(({ status }) => status),
    Array<number>(maxRequests).fill(200),
  );
}
