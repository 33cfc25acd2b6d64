import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { freePort } from '@code-executor/contracts/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { descendantsOf } from '../../chaos/processes.mjs';
import { summarize, timed } from '../measure.mjs';
import { residentMb } from '../processes.mjs';

/** The programs of all callers wait for each other, and for whatever else the machine does. */
const queueTimeoutMs = 120_000;
const echoServer = join(import.meta.dirname, '..', 'echo-server.mjs');
const echo = { name: 'echo', arguments: { text: 'hi' } };
const trivial = { name: 'executeTypescript', arguments: { code: 'return 1' } };

/** Starts the built server with `--http` for these clients, each with a token of its own. */
async function startHttpServer(workplace, ids, config = {}) {
  const tokens = Object.fromEntries(ids.map((id) => [id, randomBytes(16).toString('hex')]));
  const hash = (token) => `sha256:${createHash('sha256').update(token).digest('hex')}`;
  const clients = Object.fromEntries(ids.map((id) => [id, { tokenHash: hash(tokens[id]) }]));
  const port = await freePort();
  const { pid, heapMb } = await workplace.startHttp({
    ...config,
    http: { port, clients },
    security: { rateLimit: { enabled: false } },
  });
  const connect = async (id, mode = 'legacy') => {
    const client = new Client({ name: 'bench', version: '0' }, { versionNegotiation: { mode } });
    const headers = { authorization: `Bearer ${tokens[id]}` };
    const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
      requestInit: { headers },
    });
    await client.connect(transport);
    return { client, transport };
  };
  return { pid, heapMb, connect };
}

async function call(client, tool = trivial) {
  const { structuredContent, isError } = await client.callTool(tool, { timeout: queueTimeoutMs });
  if (isError) throw new Error(`An execution failed: ${structuredContent.error}`);
  return structuredContent.result;
}

/** A program over HTTP, in both eras, compared with the same over stdio. */
export const http = {
  name: 'http',
  what: 'a trivial program over HTTP / over stdio, and how many ms more',
  rounds: 60,
  pauseMs: 60,
  async open(workplace) {
    const { client: stdio } = await workplace.startServer({});
    const { connect } = await startHttpServer(workplace, ['one']);
    const [{ client: session }, { client: modern }] = [await connect('one'), await connect('one', 'auto')];
    const { client: bareStdio } = await workplace.connect(process.execPath, [echoServer]);
    const bareHttp = new Client({ name: 'bench', version: '0' });
    const url = await workplace.startPrintedUrl(echoServer, 'http');
    await bareHttp.connect(new StreamableHTTPClientTransport(url));
    workplace.onClose(() => Promise.all([session, modern, bareHttp].map((client) => client.close())));
    return {
      stdio: () => timed(() => call(stdio)),
      session: () => timed(() => call(session)),
      modern: () => timed(() => call(modern)),
      bareStdio: () => timed(() => bareStdio.callTool(echo)),
      bareHttp: () => timed(() => bareHttp.callTool(echo)),
    };
  },
  rows: [
    { label: 'session − stdio, ms', atMost: 2, ratio: ({ session, stdio }) => session - stdio },
    { label: '2026-07-28 − stdio, ms', atMost: 2, ratio: ({ modern, stdio }) => modern - stdio },
    // What no server on the SDK with this client can save.
    {
      label: 'echo of the bare SDK, HTTP − stdio, ms',
      ratio: ({ bareHttp, bareStdio }) => bareHttp - bareStdio,
    },
  ],
};

/** Still runs when its client is gone. */
const slow = {
  name: 'executeTypescript',
  arguments: { code: 'await new Promise((done) => setTimeout(done, 1000)); return 1' },
};
/** Longer than an idle connection is kept open, and than a spare takes to start. */
const settledMs = 10_000;
const maxSettlingMs = 180_000;

/** The processes below the server and its open file descriptors, once neither has changed for a while. */
async function settled(pid) {
  const count = () => ({
    processes: descendantsOf(pid).length,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  });
  const giveUpAt = performance.now() + maxSettlingMs;
  let last = count();
  for (let since = performance.now(); performance.now() - since < settledMs; await delay(200)) {
    if (performance.now() > giveUpAt) break;
    const now = count();
    if (now.processes !== last.processes || now.descriptors !== last.descriptors) since = performance.now();
    last = now;
  }
  return last;
}

const callerCount = 50;
const executionsEach = 10;

/** Fifty callers with ten programs each, again and again; then clients that vanish. */
export const callers = {
  name: 'callers',
  what: `${callerCount} callers over HTTP with ${executionsEach} programs each at once: p95 in ms, and growth of the server`,
  rounds: 1,
  warmUps: 0,
  isBusy: true,
  async open(workplace) {
    const ids = Array.from({ length: callerCount }, (_, index) => `caller${index}`);
    const sandbox = { maxQueued: callerCount * executionsEach, queueTimeoutMs };
    const { pid, heapMb, connect } = await startHttpServer(workplace, ids, { sandbox });
    const times = [];
    const round = async () => {
      const connected = await Promise.all(
        ids.map((id, index) => connect(id, index % 2 === 0 ? 'legacy' : 'auto')),
      );
      const programs = connected.flatMap(({ client }, caller) =>
        Array.from({ length: executionsEach }, async (_, index) => {
          const value = caller * 100 + index;
          const ms = await timed(async () => {
            const code = { ...trivial, arguments: { code: `return ${value}` } };
            if ((await call(client, code)) !== value) throw new Error('A result is wrong.');
          });
          times.push(ms);
        }),
      );
      await Promise.all(programs);
      // Half of them take their leave; the others vanish.
      await Promise.all(
        connected.map(async ({ client, transport }, index) => {
          if (index % 4 === 0) await transport.terminateSession();
          await client.close();
        }),
      );
    };
    return {
      growth: async () => {
        for (let n = 0; n < 2; n++) await round();
        const before = await heapMb();
        for (let n = 0; n < 4; n++) await round();
        return (await heapMb()) / before;
      },
      left: async () => {
        const before = await settled(pid);
        const connected = await Promise.all(
          ids.map((id, index) => connect(id, index % 2 === 0 ? 'legacy' : 'auto')),
        );
        // Their programs are queued or run. Those of sessions go on, because a client may come back for the answer.
        const calls = connected.map(({ client }) => call(client, slow).catch(() => undefined));
        await delay(500);
        await Promise.all(connected.map(({ client }) => client.close()));
        await Promise.all(calls);
        const after = await settled(pid);
        const grown = (what) => Math.max(0, after[what] - before[what]);
        return grown('processes') + grown('descriptors');
      },
      p95: () => summarize(times).p95,
    };
  },
  rows: [
    // Not resident memory: it follows the size of the heap that V8 chooses, and grew to 1.5 and 1.7 times while the objects
    // that were alive did not grow. Sessions of clients that vanished are among these, because they are kept for 30 minutes.
    { label: 'heap after GC, 3,000 / 1,000 programs', atMost: 1.25, ratio: ({ growth }) => growth },
    {
      label: 'processes and descriptors that 50 vanished clients leave',
      atMost: 0,
      ratio: ({ left }) => left,
    },
    { label: 'p95 of a program in ms', ratio: ({ p95 }) => p95 },
  ],
};

const streamCount = 200;

/** What a caller costs that only listens. */
export const streams = {
  name: 'streams',
  what: `${streamCount} callers over HTTP with an idle stream each: memory of the server, in KB each`,
  rounds: 5,
  warmUps: 0,
  isBusy: true,
  open(workplace) {
    const ids = Array.from({ length: streamCount }, (_, index) => `caller${index}`);
    const leave = async ({ client, transport }) => {
      await transport.terminateSession();
      await client.close();
    };
    return {
      kb: async () => {
        // A server of its own each time, because memory that was used before does not show as growth.
        const { pid, heapMb, connect } = await startHttpServer(workplace, ids);
        const listen = () => Promise.all(ids.map((id) => connect(id)));
        // The heap of a server that has had so many callers before does not grow with what they leave behind.
        for (let n = 0; n < 3; n++) await Promise.all((await listen()).map(leave));
        // What is garbage already costs nobody anything, and comes and goes in steps of megabytes.
        await heapMb();
        const before = residentMb(pid);
        const connected = await listen();
        await heapMb();
        const after = residentMb(pid);
        await Promise.all(connected.map(leave));
        return ((after - before) * 1024) / streamCount;
      },
    };
  },
  rows: [{ label: 'KB for each', atMost: 60, ratio: ({ kb }) => kb }],
};
