/**
 * The client that the suites test: our pool against the server that the last argument names. What a person does in a
 * browser, it does itself.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beginLogin, ClientPool } from '../../libs/client-pool/dist/index.js';

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
  connectTimeoutMs: 20_000,
  discoveryTimeoutMs: 20_000,
  logger,
});

/** The arguments of a call that a scenario wants, if it wants any. */
const argumentsOf = { add_numbers: { a: 5, b: 3 } };
const maxLogins = 3;
let logins = 0;

try {
  const { tools } = await loggedIn(async () => {
    const listing = await pool.listTools();
    const [failed] = listing.failedServers;
    if (failed) throw Object.assign(new Error(`${failed.reason}. ${failed.fix}`), failed);
    return listing;
  });
  for (const { name } of tools) {
    const own = name.slice('mcp__suite__'.length);
    const result = await loggedIn(() => pool.callTool(name, argumentsOf[own] ?? {}));
    console.error('called', own, JSON.stringify(result));
  }
} catch (error) {
  console.error(scenario, error);
  process.exitCode = 1;
} finally {
  await pool.close();
  await rm(folder, { recursive: true });
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
