import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { echo, everything } from '../http/http-servers.js';
import { StartedHttpServer, tokenHash } from '../server-under-test/started-http-server.js';
import { connectTwoMachines, type Machine, type TwoMachines } from './two-machines.js';

const clients = {
  ci: { tokenHash: tokenHash('ci token'), policy: { allow: [echo[0]] } },
  guest: { tokenHash: tokenHash('guest token'), policy: { allow: [] } },
};
const port = 3333;

interface Ask {
  path: string;
  method?: string;
  host?: string;
  token?: string;
  headers?: Record<string, string>;
  message?: object;
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

let machines: TwoMachines;
beforeAll(async () => {
  machines = await connectTwoMachines();
});
afterAll(() => machines.close());

describe('from another machine (needs iproute2 and util-linux)', () => {
  let server: StartedHttpServer;
  beforeAll(async () => {
    const hostNames = [machines.server.address, 'tools.example'];
    server = await startOn(machines.server, { hostNames, clients });
  });
  afterAll(() => server.close());

  test('the server says that it listens on the address of the network', () => {
    expect(server.url).toBe(`http://${machines.server.address}:${port}`);
  });

  test('a client with a token calls a tool, by the address and by the name', async () => {
    const call = { path: '/', method: 'POST', token: 'ci token' };
    const message = { toolName: echo[0], params: echo[1] };
    const answers = await ask([
      { ...call, message },
      { ...call, message, host: 'tools.example' },
      // A proxy or a container may publish another port.
      { ...call, message, host: 'tools.example:8443' },
    ]);
    expect(answers.map(({ status, text }) => [status, text])).toEqual(
      Array.from({ length: 3 }, () => [200, '{"result":"Echo: hi"}']),
    );
  });

  test('a client without a token, or with a wrong one, gets 401', async () => {
    const answers = await ask([
      { path: '/mcp/tools' },
      { path: '/mcp/tools', token: 'ci tokem' },
      { path: '/', method: 'POST', message: { toolName: echo[0] } },
      { path: '/mcp', method: 'POST', message: discover },
      { path: '/metrics' },
    ]);
    expect(answers.map(({ status, headers }) => [status, headers['www-authenticate']])).toEqual(
      answers.map(() => [401, 'Bearer']),
    );
  });

  test('another Host gets 421 on every path, with the right token too', async () => {
    const paths = ['/mcp/tools', '/mcp', '/live', '/health', '/metrics'];
    const hosts = ['localhost', `127.0.0.1:${port}`, 'tools.example.evil.example', machines.peer.address];
    const asked = paths.flatMap((path) => hosts.map((host) => ({ path, host, token: 'ci token' })));
    const answers = await ask(asked);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([421]));
  });

  test('a web page gets 403, and no answer has a CORS header', async () => {
    const answers = await ask([
      { path: '/mcp/tools', token: 'ci token', headers: { origin: 'http://evil.example' } },
      { path: '/mcp', method: 'POST', token: 'ci token', message: discover, headers: { origin: 'null' } },
      { path: '/live' },
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 200]);
    expect(answers.flatMap(({ headers }) => Object.keys(headers)).filter(isCors)).toEqual([]);
  });

  test('agents of both eras run a program that calls a tool', async () => {
    expect(await runAsAgents('ci token')).toEqual([
      { version: '2025-11-25', tools: expect.arrayContaining(['executeTypescript']), result: 'Echo: hi' },
      { version: '2026-07-28', tools: expect.arrayContaining(['executeTypescript']), result: 'Echo: hi' },
    ]);
  });

  test('the policy of the token decides what such a program may call', async () => {
    const [older, newer] = await runAsAgents('guest token');
    expect([older?.result, newer?.result]).toEqual(['permission_denied', 'permission_denied']);
  });
});

test.each([
  ['no token', { hostNames: ['tools.example'] }, [], 'give each client a token in http.clients'],
  ['no host name', { clients }, [], 'set http.hostNames to the names that clients use'],
  ['--no-auth', { hostNames: ['tools.example'], clients }, ['--no-auth'], 'leave out --no-auth'],
])('the server does not listen on the address of a network with %s', async (_what, http, args, advice) => {
  await expect(startOn(machines.server, http, args)).rejects.toThrow(advice);
});

/** What the agent of either era would send first. */
const discover = {
  jsonrpc: '2.0',
  id: 1,
  method: 'server/discover',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'peer', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};

function isCors(header: string): boolean {
  return header.startsWith('access-control-');
}

function startOn({ address, enter }: Machine, http: object, args: readonly string[] = []) {
  const config = { mcpServers: everything, http: { host: address, port, ...http } };
  return StartedHttpServer.start({ '.code-executor.json': JSON.stringify(config) }, {}, { enter, args });
}

function ask(requests: readonly Ask[]): Promise<Answer[]> {
  const { address } = machines.server;
  const asked = requests.map(({ path, method = 'GET', host, token, message, headers }) => ({
    url: `http://${address}:${port}${path}`,
    method,
    headers: {
      ...(host !== undefined && { host }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(message && { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }),
      ...headers,
    },
    body: message && JSON.stringify(message),
  }));
  return runOnPeer('./peer.mjs', JSON.stringify(asked)) as Promise<Answer[]>;
}

/** What an agent of each era gets for a program that calls `echo`. */
function runAsAgents(token: string) {
  const code = `return callMCPTool('${echo[0]}', { message: 'hi' }).catch(({ code }) => code);`;
  const program = JSON.stringify({ code, allowedTools: [echo[0]] });
  const url = `http://${machines.server.address}:${port}/mcp`;
  return runOnPeer('./mcp-peer.mjs', url, token, program) as Promise<{ result: unknown }[]>;
}

/** Runs a script on the other machine; resolves with what it prints as JSON. */
async function runOnPeer(script: string, ...args: string[]): Promise<unknown> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const [command = '', ...enter] = machines.peer.enter;
  const { stdout } = await promisify(execFile)(command, [...enter, process.execPath, path, ...args]);
  return JSON.parse(stdout);
}
