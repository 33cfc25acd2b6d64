import { join } from 'node:path';

import { generateWrappers, pythonWrappers, typeScriptWrappers } from '@code-executor/wrapper-gen';

import { timed } from '../measure.mjs';
import { execute } from '../processes.mjs';
import { tools } from '../search-golden.mjs';

const script = join(import.meta.dirname, '..', 'many-tools-server.mjs');
const entriesOf = (count) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `server${n}`,
      { command: process.execPath, args: [script, String(n)] },
    ]),
  );

/** The milliseconds of a listing, measured in the program. */
const timing = (listing, times) => `const times: number[] = [];
for (let n = 0; n < ${times}; n++) {
  const started = performance.now();
  const { length } = await ${listing};
  times.push(performance.now() - started);
  if (length === 0) throw new Error('Nothing was found.');
}
return times;`;

/** Starts and lists these servers with only the SDK, in parallel. */
async function connectAll(workplace, entries) {
  const { clients, ms } = await connectedIn(workplace, entries);
  await Promise.all(clients.map((client) => client.close()));
  return ms;
}

async function connectedIn(workplace, entries) {
  let clients = [];
  const ms = await timed(async () => {
    clients = await Promise.all(
      Object.values(entries).map(async ({ command, args }) => {
        const { client } = await workplace.connect(command, args);
        await client.listTools();
        return client;
      }),
    );
  });
  return { clients, ms };
}

/** Listings and searches inside a program, answered from the cache, so that none of ten servers starts. */
export const discovery = {
  name: 'discovery',
  what: 'a listing of 1,000 tools of 10 servers from the cache, inside a program / connecting one SDK server',
  rounds: 10,
  async open(workplace) {
    const config = { mcpServers: entriesOf(10) };
    const first = await workplace.startServer(config);
    await execute(first.client, 'return (await discoverMCPTools()).length', { timeoutMs: 60_000 });
    await first.client.close();
    const { client } = await workplace.startServer(config);
    const ask = (listing) => async () => (await execute(client, timing(listing, 5))).result;
    return {
      one: () => connectAll(workplace, entriesOf(1)),
      listing: ask(`discoverMCPTools({ detail: 'signatures' })`),
      full: ask('discoverMCPTools()'),
      search: ask(`searchTools('close an issue')`),
    };
  },
  rows: [
    { label: 'signatures / connect', atMost: 0.05, ratio: ({ listing, one }) => listing / one },
    { label: 'whole schemas / connect', atMost: 0.05, ratio: ({ full, one }) => full / one },
    { label: 'a search / connect', atMost: 0.05, ratio: ({ search, one }) => search / one },
  ],
};

const counts = [1, 3, 10];

/** The first listing, which starts the servers in parallel. */
export const contact = {
  name: 'contact',
  what: 'the first listing of 1, 3 and 10 servers / starting them side by side with the bare SDK',
  rounds: 5,
  warmUps: 1,
  open(workplace) {
    let homes = 0;
    const samples = counts.flatMap((count) => {
      const entries = entriesOf(count);
      const ours = async () => {
        const env = { CODE_EXECUTOR_HOME: join(workplace.folder, `home-${homes++}`) };
        const { client } = await workplace.startServer({ mcpServers: entries }, env);
        const { result } = await execute(client, timing(`discoverMCPTools({ detail: 'names' })`, 1), {
          timeoutMs: 60_000,
        });
        await client.close();
        return result;
      };
      return [
        [`ours ${count}`, ours],
        [`sdk ${count}`, () => connectAll(workplace, entries)],
      ];
    });
    return Object.fromEntries(samples);
  },
  rows: counts.map((count) => ({
    label: `${count} ${count === 1 ? 'server' : 'servers'}`,
    atMost: 1.15,
    ratio: (times) => times[`ours ${count}`] / times[`sdk ${count}`],
    shows: [`ours ${count}`, `sdk ${count}`],
  })),
};

/** The first listing of servers that already run, over HTTP, which only needs a connection and a listing. */
export const reach = {
  name: 'reach',
  what: 'the first listing of 1, 3 and 10 servers that run already, over HTTP, inside a program, in ms',
  rounds: 5,
  warmUps: 1,
  async open(workplace) {
    const urls = await Promise.all(
      Array.from({ length: 10 }, (_, n) => workplace.startPrintedUrl(script, String(n), 'http')),
    );
    let homes = 0;
    return Object.fromEntries(
      counts.map((count) => {
        const mcpServers = Object.fromEntries(urls.slice(0, count).map((url, n) => [`server${n}`, { url }]));
        const first = async () => {
          const env = { CODE_EXECUTOR_HOME: join(workplace.folder, `reach-${homes++}`) };
          const { client } = await workplace.startServer({ mcpServers }, env);
          const { result } = await execute(client, timing(`discoverMCPTools({ detail: 'names' })`, 1));
          await client.close();
          return result;
        };
        return [`of ${count}`, first];
      }),
    );
  },
  rows: counts.map((count) => ({
    label: `${count} running ${count === 1 ? 'server' : 'servers'}, ms`,
    ratio: (times) => times[`of ${count}`],
    shows: [`of ${count}`],
  })),
};

/** Wrappers for all tools of the real lists, in both languages. */
export const wrappers = {
  name: 'wrappers',
  what: `wrappers for ${tools.length} tools in TypeScript and Python, in ms`,
  rounds: 5,
  open: () => ({
    both: () =>
      timed(async () => [typeScriptWrappers, pythonWrappers].map((form) => generateWrappers(tools, form))),
  }),
  rows: [{ label: 'both languages', atMost: 1000, ratio: ({ both }) => both }],
};
