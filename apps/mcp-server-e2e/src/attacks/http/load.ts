import assert from 'node:assert/strict';
import { once } from 'node:events';

import { until } from '../../server-under-test/until.js';
import type { HttpArena } from '../arena/http-arena.js';
import { peakWhile, residentMib } from '../arena/measure.js';
import type { HttpAttack } from './http-attack.js';
import { rawCall, statusOf } from './raw-call.js';
import { tcpTable } from './tcp-table.js';

const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
/** The server allows 5 s for headers and checks once a second; the rest is tolerance for a busy machine. */
const maxHeadersMs = 12_000;
/** The server allows 10 s for reading an answer; the rest is tolerance. */
const maxReadingMs = 15_000;
const maxGrowthMib = 96;
/** Together with the others below, still fewer than the server accepts. */
const idleConnections = 1000;

/** Attacks with connections and requests that cost the client little, and must not cost the server more. */
export const load: readonly HttpAttack[] = [
  {
    id: 'PRX-09',
    what: 'exhaust the HTTP server: 1 GB announced, endless chunks, a byte per second, endless headers, 1,000 idle connections, an unread answer',
    stoppedBy:
      'server (1 MB counted while reading, 16 KB and 5 s for headers, 10 s to read an answer, 1,024 connections)',
    async attack(arena) {
      const dropped = await unread(arena);
      const before = residentMib(arena.pid);
      let isOver = false as boolean;
      const others = (async () => {
        let slowestMs = 0;
        let served = 0;
        for (; !isOver; served++) {
          const began = Date.now();
          assert.equal((await arena.call('mcp__fixture__echo')).status, 200);
          slowestMs = Math.max(slowestMs, Date.now() - began);
        }
        return { slowestMs, served };
      })();
      const { peak } = await peakWhile(
        Promise.all([
          ...[announced(arena), endless(arena), dripping(arena), unfinished(arena), idle(arena)],
          dropped(),
        ]).finally(() => (isOver = true)),
        () => residentMib(arena.pid),
      );
      const { slowestMs, served } = await others;
      assert.ok(served >= 20, `${served} calls of others were served.`);
      assert.ok(slowestMs < 5000, `Another client waited ${slowestMs} ms.`);
      assert.ok(peak - before < maxGrowthMib, `The server grew from ${before} to ${peak} MiB.`);
      await arena.takeUpstreamCalls();
    },
  },
];

/** Requests an answer and does not read it. Resolves when the server holds it, with a function that waits until it gives up. */
async function unread(arena: HttpArena): Promise<() => Promise<void>> {
  // Smaller than the largest answer, but more than the system buffers for a connection.
  const body = '{"toolName":"mcp__flood__big","params":{"bytes":15000000}}';
  const { socket } = arena.connect();
  await once(socket, 'connect');
  const { localPort } = socket;
  socket.write(rawCall(arena, { body }));
  await once(socket, 'data');
  socket.pause();
  const isHeld = () =>
    tcpTable().some(
      ({ port, remotePort, state }) =>
        port === arena.port && remotePort === localPort && state === 'established',
    );
  assert.ok(isHeld());
  const began = Date.now();
  return async () => {
    await until(() => !isHeld() || Date.now() - began > maxReadingMs);
    assert.ok(!isHeld(), 'An unread answer is still held.');
  };
}

/** Announces a gigabyte; the server must refuse it before any of it arrives. */
async function announced(arena: HttpArena): Promise<void> {
  const content = ['Content-Type: application/json', 'Content-Length: 1000000000'];
  assert.equal(statusOf(await arena.exchange(rawCall(arena, { content, body: '' }))), 413);
}

/** Sends endless chunks; the server must refuse them soon after the megabyte that a body may have. */
async function endless(arena: HttpArena): Promise<void> {
  const { socket, heard, closed } = arena.connect();
  socket.write(rawCall(arena, { content: chunked, body: '' }));
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  const maxChunks = 1000;
  let sent = 0;
  const send = () => {
    while (!socket.destroyed && sent < maxChunks) {
      sent++;
      if (!socket.write(chunk)) return;
    }
  };
  socket.on('drain', send);
  send();
  await closed;
  // It closes the connection while we are still sending, so its answer may be lost.
  assert.ok([0, 413].includes(statusOf(heard())), heard());
  assert.ok(sent < maxChunks, `The server read ${sent} chunks.`);
}

/** Sends headers at a byte per second; the server must give up in time. */
async function dripping(arena: HttpArena): Promise<void> {
  await lateHeaders(arena, 'G', 'ET / HTTP/1.1\r\nX: yyyyyyyyyyyyyyyyy');
}

/** Sends headers that never end; the server must give up in time. */
async function unfinished(arena: HttpArena): Promise<void> {
  const head = rawCall(arena, { body: '' }).trimEnd();
  await Promise.all(Array.from({ length: 5 }, () => lateHeaders(arena, `${head}\r\n`, '')));
}

async function lateHeaders(arena: HttpArena, first: string, rest: string): Promise<void> {
  const { socket, heard, closed } = arena.connect();
  const began = Date.now();
  socket.write(first);
  let next = 0;
  const drip = setInterval(() => socket.write(rest[next++] ?? 'y'), 1000);
  await closed;
  clearInterval(drip);
  assert.equal(statusOf(heard()), 408);
  assert.ok(Date.now() - began < maxHeadersMs, `The server waited ${Date.now() - began} ms for headers.`);
}

/** Opens idle connections; the server must close them, and leave room for others meanwhile. */
async function idle(arena: HttpArena): Promise<void> {
  const all = Array.from({ length: idleConnections }, () => arena.connect());
  await Promise.all(all.map(({ socket }) => once(socket, 'connect')));
  const began = Date.now();
  let open = all.length;
  for (const { closed } of all) void closed.then(() => open--);
  await until(() => open === 0 || Date.now() - began > maxHeadersMs);
  assert.equal(open, 0, `${open} idle connections are still open.`);
}
