import { mkdir, mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { trustFiles, readProject } from '@code-executor/config';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

import { bin } from '../server-under-test/bin.js';
import { environmentOf, removeHome } from '../server-under-test/home.js';
import { until } from '../server-under-test/until.js';
import { recordingServer } from '../upstream-servers/entries.js';

let root: string;
let home: string;
let project: string;
let calls: string;
let clients: Client[];
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'trust-e2e-')));
  [home, project, calls] = [join(root, 'home'), join(root, 'project'), join(root, 'calls')];
  await Promise.all([mkdir(home), mkdir(project)]);
  clients = [];
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await removeHome(root);
});

const write = (folder: string, name: string, content: object) =>
  writeFile(join(folder, name), JSON.stringify(content));
const suggest = (name = 'a') =>
  write(project, '.mcp.json', { mcpServers: { [name]: recordingServer(calls) } });

type Answer = 'accept' | 'decline' | 'nothing';

/** The built server in the project, and a client; with an `answer`, the client can be asked and gives this answer. */
async function start(env: Record<string, string> = {}, answer?: Answer) {
  const questions: string[] = [];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin],
    cwd: project,
    env: environmentOf(home, env),
    stderr: 'pipe',
  });
  const client = new Client(
    { name: 'e2e', version: '0' },
    { capabilities: answer === undefined ? {} : { elicitation: {} } },
  );
  if (answer !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      questions.push(params.message);
      return answer === 'nothing' ? new Promise<never>(() => undefined) : { action: answer, content: {} };
    });
  }
  await client.connect(transport);
  clients.push(client);
  let log = '';
  transport.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const call = async (name: string, args: object = {}) => {
    const result = await client.callTool({ name, arguments: { ...args } });
    return result.structuredContent as Record<string, unknown>;
  };
  return {
    client,
    questions,
    log: () => log,
    health: () => call('health'),
    /** The servers that have tools, and the reasons why others do not. */
    async listed() {
      const code = 'return [...new Set((await discoverMCPTools()).map(({ server }) => server))]';
      const { result, unavailableServers = [] } = await call('executeTypescript', {
        code,
        allowedTools: ['*'],
      });
      return {
        servers: result,
        unavailable: unavailableServers as { server: string; reason: string; fix: string }[],
      };
    },
  };
}
const trust = async () =>
  trustFiles((await readProject({ cwd: project, home, env: {} })).files, { cwd: project, home, env: {} });
const wasStarted = () =>
  readFile(calls).then(
    () => true,
    () => false,
  );

describe('a project that is not trusted', () => {
  test('starts and sets nothing, as instructions, health, discovery, calls and log say', async () => {
    await suggest();
    await write(project, '.code-executor.json', {
      audit: { enabled: false },
      executors: { typescript: { denoPath: '/no/such/deno' } },
    });
    const server = await start();
    expect(server.client.getInstructions()).toContain(
      'These are configured but cannot be used: a (not trusted: .mcp.json of the working directory is not approved)',
    );
    const { servers, unavailable } = await server.listed();
    expect(servers).toEqual([]);
    expect(unavailable).toEqual([
      {
        server: 'a',
        reason: 'not trusted: .mcp.json of the working directory is not approved',
        fix: 'The user can look at it and approve it there with `code-executor trust`.',
      },
    ]);
    const health = await server.health();
    expect(health).toMatchObject({ healthy: true, auditLog: { enabled: true } });
    expect(health['warnings']).toEqual([
      `File ${project}/.code-executor.json is not trusted, so nothing of it counts. Look at it and approve it with: code-executor trust ${project}`,
      `File ${project}/.mcp.json is not trusted, so its servers a are left alone. Look at it and approve it with: code-executor trust ${project}`,
    ]);
    expect(server.log()).toContain(`code-executor trust ${project}`);
    expect(await wasStarted()).toBe(false);
  });

  test('takes effect once it is approved, while the server runs; any change ends that', async () => {
    await suggest();
    const server = await start();
    expect((await server.listed()).servers).toEqual([]);
    await trust();
    await until(
      async () =>
        (await server.listed()).servers instanceof Array && (await server.listed()).unavailable.length === 0,
    );
    expect((await server.listed()).servers).toEqual(['a']);
    await write(project, '.mcp.json', {
      mcpServers: { a: recordingServer(calls), evil: recordingServer(calls) },
    });
    await until(async () => (await server.listed()).unavailable.length > 0);
    const { servers, unavailable } = await server.listed();
    expect(servers).toEqual([]);
    expect(unavailable.map(({ server: name, reason }) => [name, reason])).toEqual([
      ['a', 'not trusted: .mcp.json has changed since it was approved'],
      ['evil', 'not trusted: .mcp.json has changed since it was approved'],
    ]);
    expect(JSON.stringify((await server.health())['warnings'])).toContain(
      'has changed and is not trusted any more',
    );
    expect(server.log()).toContain('has changed and is not trusted any more');
  });

  test('takes effect with CODE_EXECUTOR_TRUST_PROJECT, with its content at the start', async () => {
    await suggest();
    const server = await start({ CODE_EXECUTOR_TRUST_PROJECT: '1' });
    await until(async () => (await server.listed()).unavailable.length === 0);
    expect((await server.listed()).servers).toEqual(['a']);
    await suggest('evil');
    await until(async () => (await server.listed()).unavailable.length > 0);
    expect((await server.listed()).servers).toEqual([]);
  });
});

describe('a client that can be asked', () => {
  test('is shown what would run, and can approve it for this and later servers', async () => {
    await suggest();
    const server = await start({}, 'accept');
    await server.listed();
    await until(async () => (await server.listed()).unavailable.length === 0);
    expect((await server.listed()).servers).toEqual(['a']);
    expect(server.questions).toHaveLength(1);
    expect(server.questions[0]).toContain(`Do you trust the project in ${project}?`);
    expect(server.questions[0]).toContain(`a starts ${process.execPath} `);
    expect((await (await start()).listed()).servers).toEqual(['a']);
  });

  test('is asked only once for each content, and a refusal changes nothing', async () => {
    await suggest();
    const server = await start({}, 'decline');
    for (let time = 0; time < 3; time++) expect((await server.listed()).servers).toEqual([]);
    expect(server.questions).toHaveLength(1);
    await suggest('other');
    await until(async () => (await server.listed()).unavailable[0]?.server === 'other');
    await server.listed();
    await until(() => server.questions.length === 2);
    await server.listed();
    expect(server.questions).toHaveLength(2);
    expect(await wasStarted()).toBe(false);
  });

  test('does not delay anything if it never answers', async () => {
    await suggest();
    const server = await start({}, 'nothing');
    expect((await server.listed()).unavailable).toHaveLength(1);
    await until(() => server.questions.length === 1);
    expect((await server.listed()).unavailable).toHaveLength(1);
  });

  test('is not asked if the question would be too long, or if there is nothing to ask', async () => {
    await write(project, '.mcp.json', { mcpServers: { a: { command: 'x', args: ['y'.repeat(5000)] } } });
    const long = await start({}, 'accept');
    await long.listed();
    await write(project, '.mcp.json', { mcpServers: { us: { command: 'code-executor-mcp' } } });
    const nothing = await start({}, 'accept');
    await nothing.listed();
    await nothing.listed();
    expect([long.questions, nothing.questions]).toEqual([[], []]);
  });
});
