import { setTimeout as delay } from 'node:timers/promises';

import { timed } from '../measure.mjs';
import { execute, residentMb, serverBin } from '../processes.mjs';

/** The time from the start of the server's process until it has answered `initialize`. */
export const start = {
  name: 'start',
  what: 'server start until initialize is answered / the same of the least server on the SDK',
  rounds: 20,
  open: async (workplace) => ({
    server: () => startMs(() => workplace.connect(process.execPath, [serverBin])),
    bare: () => startMs(() => workplace.startBareServer()),
    node: () => workplace.run(process.execPath, ['-e', '0']),
  }),
  rows: [
    { label: 'server / bare', atMost: 1, ratio: ({ server, bare }) => server / bare },
    { label: 'server / node -e 0', ratio: ({ server, node }) => server / node },
  ],
};

async function startMs(connect) {
  let client;
  const ms = await timed(async () => {
    ({ client } = await connect());
  });
  await client.close();
  return ms;
}

/** Many executions, at once and in sequence: none is lost or wrong, and the server does not grow. */
export const load = {
  name: 'load',
  what: '100 executions at once, 2,000 in all: growth of the server after the first 500, in share',
  rounds: 1,
  warmUps: 0,
  async open(workplace) {
    const { client, pid } = await workplace.startServer({
      sandbox: { maxQueued: 200, queueTimeoutMs: 120_000 },
    });
    const hundred = async (round) => {
      const programs = Array.from({ length: 100 }, (_, index) => `return ${round * 100 + index}`);
      const reports = await Promise.all(programs.map((code) => execute(client, code)));
      if (reports.some(({ result }, index) => result !== round * 100 + index))
        throw new Error('A result is wrong.');
    };
    return {
      growth: async () => {
        for (let round = 0; round < 5; round++) await hundred(round);
        const before = residentMb(pid);
        for (let round = 5; round < 20; round++) await hundred(round);
        return residentMb(pid) / before;
      },
    };
  },
  rows: [{ label: 'resident memory, 2,000 / 500', atMost: 1.25, ratio: ({ growth }) => growth }],
};

/** Programs that never end by themselves, by the status that they get when a limit ends them. */
const hostilePrograms = {
  timed_out: ['for (;;) {}', 'for (;;) {}', 'for (;;) {}', 'for (;;) {}'],
  failed: [
    'const a = []; for (;;) { a.push(new Array(1e5).fill(Math.random())); await new Promise((r) => setTimeout(r, 5)); }',
  ],
};

/** The server still answers while four endless loops and a memory eater run all the time. */
export const health = {
  name: 'health',
  what: 'health while four endless loops and a memory eater run, in ms',
  rounds: 10,
  // The programs see to it that there is no quiet moment.
  isBusy: true,
  async open(workplace) {
    const { client } = await workplace.startServer({});
    const call = (name, args = {}) => client.callTool({ name, arguments: args }, { timeout: 60_000 });
    let problem;
    let isOpen = true;
    const keepRunning = async (code, expected) => {
      while (isOpen && problem === undefined) {
        const { structuredContent } = await call('executeTypescript', { code, timeoutMs: 10_000 });
        const { status, error } = structuredContent;
        if (isOpen && status !== expected) problem = new Error(`A program ended as ${status}: ${error}`);
      }
    };
    const programs = Object.entries(hostilePrograms).flatMap(([expected, codes]) =>
      codes.map((code) => keepRunning(code, expected).catch((error) => (problem ??= error))),
    );
    workplace.onClose(async () => {
      isOpen = false;
      await client.close();
      await Promise.all(programs);
    });
    const ask = () => call('health');
    const running = async () => (await ask()).structuredContent.executions.running;
    while ((await running()) < programs.length) await delay(10);
    return {
      health: async () => {
        const ms = await timed(ask);
        // One may be missing between two programs of a kind, but a sample from an idle server would be meaningless.
        const count = await running();
        if (problem) throw problem;
        if (count < programs.length - 1) throw new Error(`Only ${count} of the programs ran.`);
        return ms;
      },
    };
  },
  rows: [{ label: 'p50 in ms', atMost: 1000, ratio: ({ health }) => health }],
};

/** The number of programs that run at once; each sends the most expensive calls, which are all refused. */
const densePrograms = 16;
const denseCalls =
  "const a = Array(80_000).fill({}); for (;;) await callMCPTool('mcp__none__none', { a }).catch(() => {});";

/** A ping of a server that parses expensive calls, compared with an idle server on the same busy machine. */
export const dense = {
  name: 'dense',
  what: `ping while ${densePrograms} programs send the most expensive calls / of an idle server beside it`,
  rounds: 40,
  // The programs see to it that there is no quiet moment.
  isBusy: true,
  async open(workplace) {
    const { client: busy } = await workplace.startServer({});
    const { client: idle } = await workplace.startServer({});
    const program = { name: 'executeTypescript', arguments: { code: denseCalls, timeoutMs: 100_000 } };
    const run = () => busy.callTool(program, { timeout: 120_000 }).catch(() => undefined);
    const programs = Array.from({ length: densePrograms }, run);
    workplace.onClose(async () => {
      await busy.close();
      await Promise.all(programs);
    });
    const health = () => busy.callTool({ name: 'health', arguments: {} });
    while ((await health()).structuredContent.executions.running < densePrograms) await delay(10);
    return {
      dense: () => timed(() => busy.ping()),
      idle: () => timed(() => idle.ping()),
    };
  },
  rows: [
    { label: 'p50 in ms', atMost: 250, ratio: ({ dense }) => dense },
    { label: 'p95 in ms', ratio: (_, { dense }) => dense.p95 },
    { label: 'dense / idle', ratio: ({ dense, idle }) => dense / idle },
  ],
};
