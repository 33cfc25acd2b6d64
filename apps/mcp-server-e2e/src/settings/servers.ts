import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Config } from '@code-executor/config';
import { expect } from '@jest/globals';

import { StartedServer, withServer } from '../server-under-test/started-server.js';
import { createHome, removeHome } from '../server-under-test/home.js';
import { logIn, startOAuthServer } from '../upstream-servers/oauth-server.js';
import { alone, overStdio } from './effect-check.js';
import { noSpares, upstream } from './upstream.js';

type Entry = NonNullable<Config['mcpServers']>[string];

/** The first request to a remote server whose entry has these fields besides its URL. */
async function firstRequest(entry: Entry): Promise<IncomingMessage> {
  const web = createServer((_request, response) => response.writeHead(500).end()).listen(0, '127.0.0.1');
  await once(web, 'listening');
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/its/place`;
  const asked = once(web, 'request') as Promise<[IncomingMessage]>;
  const mcpServers = { remote: { url, ...entry } };
  const config = JSON.stringify({ mcpServers, sandbox: { spares: noSpares } });
  try {
    return await withServer(StartedServer.start({ '.code-executor.json': config }), async (server) => {
      const { unavailableServers } = await server.run('await discoverMCPTools();');
      expect(unavailableServers).toMatchObject([{ server: 'remote' }]);
      const [request] = await asked;
      return request;
    });
  } finally {
    web.closeAllConnections();
    web.close();
  }
}

/** What the authorization server was asked at a login with these settings. */
async function loginAs(oauth: NonNullable<Entry['oauth']>, settings: object = {}): Promise<object> {
  const remote = await startOAuthServer(settings);
  const config = { mcpServers: { remote: { url: remote.url, oauth } } };
  const home = await createHome({ '.code-executor.json': JSON.stringify(config) });
  try {
    expect(await logIn(home, 'remote', { CLIENT_SECRET: 'of-the-client' })).toBe(0);
    return Object.assign({}, ...(await remote.log())) as object;
  } finally {
    remote.close();
    await removeHome(home);
  }
}

async function namesOf(server: StartedServer): Promise<string[]> {
  const { structured } = await server.call('health', {});
  return (structured['servers'] as { name: string }[]).map(({ name }) => name);
}

async function tell(server: StartedServer): Promise<Record<string, unknown>> {
  const { result } = await server.run("return await callMCPTool('mcp__up__tell', {})", {
    allowedTools: ['*'],
  });
  return result as Record<string, unknown>;
}

const anyServer = JSON.stringify({ mcpServers: { usual: upstream(), off: upstream() } });
const otherServer = JSON.stringify({ mcpServers: { other: upstream(), off: upstream() } });

export const serverChecks = [
  overStdio({
    config: {
      mcpConfigPath: 'elsewhere.json',
      projectOnly: true,
      mcpServers: {
        up: { ...upstream('one', 'two'), env: { SHOWN: 'shown' }, cwd: '/' },
        off: { disabled: true },
      },
      sandbox: { spares: noSpares },
    },
    instead: { mcpConfigPath: '.mcp.json' },
    files: { '.mcp.json': anyServer, 'elsewhere.json': otherServer, '.claude.json': anyServer },
    env: { NOT_SHOWN: 'secret', CODE_EXECUTOR_TRUST_PROJECT: '1' },
    shows: {
      CODE_EXECUTOR_TRUST_PROJECT: async (server) => expect(await namesOf(server)).toContain('other'),
      mcpConfigPath: async (server) => expect(await namesOf(server)).toContain('other'),
      projectOnly: async (server) => expect(await namesOf(server)).not.toContain('usual'),
      'mcpServers.<name>.disabled': async (server) => expect(await namesOf(server)).not.toContain('off'),
      'mcpServers.<name>.command': async (server) => expect(await namesOf(server)).toEqual(['other', 'up']),
      'mcpServers.<name>.args': async (server) =>
        expect(await tell(server)).toMatchObject({ args: ['one', 'two'] }),
      'mcpServers.<name>.env': async (server) =>
        expect(await tell(server)).toMatchObject({ env: { SHOWN: 'shown' } }),
      'mcpServers.<name>.cwd': async (server) => expect(await tell(server)).toMatchObject({ cwd: '/' }),
    },
  }),
  alone({
    'mcpServers.<name>.protocol': async () => {
      const { headers: asked } = await firstRequest({ protocol: 'auto' });
      const { headers: told } = await firstRequest({ protocol: 'legacy' });
      expect([asked['mcp-method'], told['mcp-method']]).toEqual(['server/discover', undefined]);
    },
    'mcpServers.<name>.oauth.clientId': async () => {
      expect(await loginAs({ clientId: 'mine' }, { dcr: false })).toMatchObject({
        authorize: { client_id: 'mine' },
      });
    },
    'mcpServers.<name>.oauth.clientSecret': async () => {
      const oauth = { clientId: 'mine', clientSecret: 'env:CLIENT_SECRET' };
      expect(await loginAs(oauth, { dcr: false })).toMatchObject({ token: { secret: 'of-the-client' } });
    },
    'mcpServers.<name>.oauth.clientMetadataUrl': async () => {
      const clientMetadataUrl = 'https://client.example/metadata.json';
      expect(await loginAs({ clientMetadataUrl }, { cimd: true })).toMatchObject({
        authorize: { client_id: clientMetadataUrl },
      });
    },
    'mcpServers.<name>.oauth.scopes': async () => {
      expect(await loginAs({ scopes: ['extra'] })).toMatchObject({ authorize: { scope: 'extra read' } });
    },
    'mcpServers.<name>.type': async () => {
      expect((await firstRequest({ type: 'sse' })).method).toBe('GET');
      expect((await firstRequest({ type: 'http' })).method).toBe('POST');
    },
    'mcpServers.<name>.url': async () => expect((await firstRequest({})).url).toBe('/its/place'),
    'mcpServers.<name>.headers': async () => {
      const { headers } = await firstRequest({ headers: { 'x-shown': 'shown' } });
      expect(headers).toMatchObject({ 'x-shown': 'shown' });
    },
  }),
];
