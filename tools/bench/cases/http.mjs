import { createHash, randomBytes } from 'node:crypto';

import { freePort } from '@code-executor/contracts/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { summarize, timed } from '../measure.mjs';
import { residentMb } from '../processes.mjs';

const trivial = { name: 'executeTypescript', arguments: { code: 'return 1' } };

/** Starts the built server with `--http` for these clients, each with a token of its own. */
async function startHttpServer(workplace, ids, config = {}) {
  const tokens = Object.fromEntries(ids.map((id) => [id, randomBytes(16).toString('hex')]));
  const hash = (token) => `sha256:${createHash('sha256').update(token).digest('hex')}`;
  const clients = Object.fromEntries(ids.map((id) => [id, { tokenHash: hash(tokens[id]) }]));
  const port = await freePort();
  const pid = await workplace.startHttp({
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
  return { pid, connect };
}

async function call(client, tool = trivial) {
  const { structuredContent, isError } = await client.callTool(tool);
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
    workplace.onClose(() => Promise.all([session.close(), modern.close()]));
    return {
      stdio: () => timed(() => call(stdio)),
      session: () => timed(() => call(session)),
      modern: () => timed(() => call(modern)),
    };
  },
  rows: [
    { label: 'session − stdio, ms', atMost: 2, ratio: ({ session, stdio }) => session - stdio },
    { label: '2026-07-28 − stdio, ms', atMost: 2, ratio: ({ modern, stdio }) => modern - stdio },
  ],
};

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
    const sandbox = { maxQueued: callerCount * executionsEach, queueTimeoutMs: 120_000 };
    const { pid, connect } = await startHttpServer(workplace, ids, { sandbox });
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
        const before = residentMb(pid);
        for (let n = 0; n < 4; n++) await round();
        return residentMb(pid) / before;
      },
      p95: () => summarize(times).p95,
    };
  },
  rows: [
    { label: 'resident memory, 3,000 / 1,000 programs', atMost: 1.25, ratio: ({ growth }) => growth },
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
        const { pid, connect } = await startHttpServer(workplace, ids);
        const listen = () => Promise.all(ids.map((id) => connect(id)));
        // The heap of a server that has had so many callers before does not grow with what they leave behind.
        for (let n = 0; n < 3; n++) await Promise.all((await listen()).map(leave));
        const before = residentMb(pid);
        const connected = await listen();
        const after = residentMb(pid);
        await Promise.all(connected.map(leave));
        return ((after - before) * 1024) / streamCount;
      },
    };
  },
  rows: [{ label: 'KB for each', atMost: 60, ratio: ({ kb }) => kb }],
};
