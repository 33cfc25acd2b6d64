/**
 * The client that the suites test: our pool against the server that the last argument names. What a person does in a
 * browser, it does itself.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { takeTurn } from './take-turn.mjs';

const endTurn = await takeTurn();
const { beginLogin, ClientPool } = await import('../../libs/client-pool/dist/index.js');

/** The machine may be busy. */
const patienceMs = 120_000;
const url = process.argv.at(-1);
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] || '{}');

const folder = await mkdtemp(join(tmpdir(), 'conformance-client-'));
const server = {
  url,
  oauth: {
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    ...(context.client_id && { clientId: context.client_id }),
    ...(context.client_secret && { clientSecret: context.client_secret }),
  },
};
const logger = Object.fromEntries(
  ['debug', 'info', 'warn', 'error'].map((level) => [level, (...said) => console.error(level, ...said)]),
);
const pool = new ClientPool({
  servers: { suite: server },
  loginFolder: folder,
  connectTimeoutMs: patienceMs,
  discoveryTimeoutMs: patienceMs,
  logger,
});

const prefix = 'mcp__suite__';
const maxLogins = 3;
let logins = 0;

try {
  const { tools } = await loggedIn(async () => {
    const listing = await pool.listTools();
    const [failed] = listing.failedServers;
    if (failed) throw Object.assign(new Error(`${failed.reason}. ${failed.fix}`), failed);
    return listing;
  });
  for (const { name, arguments: args } of context.toolCalls ?? tools.map(toCall)) {
    const result = await loggedIn(() => pool.callTool(`${prefix}${name}`, args));
    console.error('called', name, JSON.stringify(result));
  }
} catch (error) {
  console.error(scenario, error);
  process.exitCode = 1;
} finally {
  await pool.close();
  await rm(folder, { recursive: true });
  await endTurn();
}

/** One call of each tool, with the arguments that a scenario wants, if it wants any. */
function toCall({ name }, _index, tools) {
  const schemaOf = (own) => tools.find((tool) => tool.name === `${prefix}${own}`)?.parameters;
  const own = name.slice(prefix.length);
  const args = {
    add_numbers: { a: 5, b: 3 },
    valid_tool: { region: 'west' },
    json_schema_echo: { schema: schemaOf('json_schema_2020_12_tool') },
  };
  return { name: own, arguments: args[own] ?? {} };
}

/** Does it, and again after a login if it needs one. */
async function loggedIn(work) {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const needsLogin = error.needsLogin === true || error.code === 'unauthenticated';
      if (!needsLogin || logins === maxLogins) throw error;
    }
    logins += 1;
    const { url: address, finished } = await beginLogin({ name: 'suite', server, folder });
    const redirect = await fetch(address, { redirect: 'manual' });
    const back = redirect.headers.get('location');
    if (!back) throw new Error(`The authorization server answered HTTP ${redirect.status} and no redirect.`);
    await fetch(back);
    await finished;
  }
}
