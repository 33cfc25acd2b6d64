import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isolationsUnderTest } from '@code-executor/contracts/testing';

import { createHome } from '../server-under-test/home.js';
import { descendantsOf, untilGone } from '../server-under-test/processes.js';
import { StartedServer } from '../server-under-test/started-server.js';
import { until } from '../server-under-test/until.js';
import { badServerEntry, realServer } from './entries.js';

/** 200 calls, as many at once as the budget allows: 1 + 66 + 66 + 67. */
const manyCalls = `
const folder: string = FOLDER;
const names = Array.from({ length: 66 }, (_, i) => 'entity-' + i);
await callMCPTool('mcp__memory__create_entities', {
  entities: names.map((name, i) => ({ name, entityType: 'number', observations: ['observed ' + i] })),
});
const remembered = names.map(async (name, i) => {
  const { entities } = await callMCPTool('mcp__memory__open_nodes', { names: [name] });
  return entities.length === 1 && entities[0].observations[0] === 'observed ' + i;
});
const read = names.map(async (_, i) => {
  const answer = await callMCPTool('mcp__filesystem__read_text_file', { path: folder + '/file-' + i + '.txt' });
  return answer.content === 'content ' + i;
});
const added = Array.from({ length: 67 }, async (_, i) => {
  const answer = await callMCPTool('mcp__everything__get-sum', { a: i, b: 1000 });
  return answer === 'The sum of ' + i + ' and 1000 is ' + (i + 1000) + '.';
});
const right = await Promise.all([...remembered, ...read, ...added]);
return right.filter(Boolean).length;
`;

const callDuringDeath = `
const answer = await callMCPTool('mcp__everything__trigger-long-running-operation', { duration: 3, steps: 1 });
const folders = await callMCPTool('mcp__filesystem__list_allowed_directories', {});
return { answer, folders: typeof folders };
`;

describe.each(isolationsUnderTest())('executeTypescript with real servers (%s)', (isolation) => {
  let server: StartedServer;
  let folder: string;
  beforeAll(async () => {
    const home = await createHome();
    folder = join(home, 'files');
    await mkdir(folder);
    await Promise.all(
      Array.from({ length: 66 }, (_, i) => writeFile(join(folder, `file-${i}.txt`), `content ${i}`)),
    );
    const memory = { ...realServer('memory'), env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') } };
    const mcpServers = {
      everything: realServer('everything', 'stdio'),
      filesystem: realServer('filesystem', folder),
      memory,
    };
    await writeFile(join(home, '.claude.json'), JSON.stringify({ mcpServers }));
    server = await StartedServer.start({}, { CODE_EXECUTOR_ISOLATION: isolation }, home);
  });
  afterAll(() => server.close());

  test('starts no upstream server before it is needed', async () => {
    const { structured } = await server.call('health', {});
    expect(structured).toMatchObject({ healthy: true, isolation, mcpClients: { connected: 0 } });
    const children = await descendantsOf(server.pid);
    expect(children.filter(({ commandLine }) => commandLine.includes('@modelcontextprotocol'))).toEqual([]);
  });

  test('makes 200 correct calls to three servers, 32 at once, in one execution', async () => {
    const code = manyCalls.replace('FOLDER', JSON.stringify(folder));
    let isRunning = true;
    const running = server
      .run(code, { allowedTools: ['*'], timeoutMs: 60_000 })
      .finally(() => (isRunning = false));
    const atOnce: number[] = [];
    await until(async () => {
      const { structured } = await server.call('health', {});
      atOnce.push((structured['connectionPool'] as { active: number }).active);
      return !isRunning;
    });
    const report = await running;
    expect(report).toMatchObject({ status: 'succeeded', isolation, result: 199 });
    expect(Math.max(...atOnce)).toBeGreaterThan(1);
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(32);
    const calls = report.toolCallSummary.map(({ toolName, callCount, successCount }) => {
      return [toolName, callCount, successCount] as const;
    });
    // Sorted, because the report lists tools in the order of their first calls.
    expect(calls.sort(([a], [b]) => a.localeCompare(b))).toEqual([
      ['mcp__everything__get-sum', 67, 67],
      ['mcp__filesystem__read_text_file', 66, 66],
      ['mcp__memory__create_entities', 1, 1],
      ['mcp__memory__open_nodes', 66, 66],
    ]);
  });

  test('shows a picture that a tool returned to the program', async () => {
    const code = "return await callMCPTool('mcp__everything__get-tiny-image', {});";
    const { content, structuredContent } = await server.client.callTool({
      name: 'executeTypescript',
      arguments: { code, allowedTools: ['*'] },
    });
    const picture = { type: 'image', data: expect.any(String) as unknown, mimeType: 'image/png' };
    expect((content as unknown[]).slice(1)).toEqual([picture]);
    const place = { type: 'image', mimeType: 'image/png', bytes: expect.any(Number) as unknown };
    expect(structuredContent).toMatchObject({
      result: [{ type: 'text' }, place, { type: 'text' }],
      images: [{ mimeType: 'image/png' }],
    });
  });

  test('reports a call that was still open at the time limit as an error', async () => {
    const code =
      "await callMCPTool('mcp__everything__trigger-long-running-operation', { duration: 60, steps: 1 });";
    const report = await server.run(code, { allowedTools: ['*'], timeoutMs: 6000 });
    expect(report).toMatchObject({
      status: 'timed_out',
      toolCallSummary: [
        {
          callCount: 1,
          successCount: 0,
          errorCount: 1,
          lastErrorMessage: 'The execution ended before the call did.',
        },
      ],
    });
  });

  test('restarts a server that is killed in the middle of a call, and repeats a call that only reads', async () => {
    // The server is connected already, so it dies during the call.
    await server.run("await callMCPTool('mcp__everything__echo', { message: 'a' })", { allowedTools: ['*'] });
    const upstream = (await descendantsOf(server.pid)).find(({ commandLine }) =>
      commandLine.includes('server-everything'),
    );
    let isCalling = false;
    const running = server.run(
      callDuringDeath,
      { allowedTools: ['*'] },
      { onprogress: ({ message }) => (isCalling ||= message?.includes('long-running') === true) },
    );
    await until(() => isCalling);
    process.kill(upstream?.pid ?? NaN, 'SIGKILL');
    const report = await running;
    expect(report).toMatchObject({
      status: 'succeeded',
      result: { answer: expect.stringContaining('completed') as unknown, folders: 'object' },
      toolCallSummary: [
        { successCount: 1, errorCount: 0 },
        { successCount: 1, errorCount: 0 },
      ],
    });

    const next = await server.run("return await callMCPTool('mcp__everything__echo', { message: 'again' })", {
      allowedTools: ['mcp__everything__echo'],
    });
    expect(next).toMatchObject({ status: 'succeeded', result: 'Echo: again' });
  });

  test('ends with its client, and all its children with it', async () => {
    const children = await descendantsOf(server.pid);
    expect(children.length).toBeGreaterThanOrEqual(3);
    await server.client.close();
    await untilGone([server.pid, ...children.map(({ pid }) => pid)]);
  });
});

describe('executeTypescript with broken servers', () => {
  let server: StartedServer;
  beforeAll(async () => {
    const mcpServers = {
      absent: { command: '/no/such/program' },
      exits: { command: process.execPath, args: ['-e', 'console.error("no token given"); process.exit(3)'] },
      silent: badServerEntry('silent'),
      garbage: badServerEntry('garbage'),
      huge: badServerEntry('huge'),
      dies: badServerEntry('dies'),
      everything: realServer('everything', 'stdio'),
    };
    // A listing waits for all of them, but gives up on those that hang.
    const config = { discovery: { timeoutMs: 60_000 }, pool: { connectTimeoutMs: 10_000 } };
    server = await StartedServer.start({
      '.claude.json': JSON.stringify({ mcpServers }),
      '.code-executor.json': JSON.stringify(config),
    });
  });
  afterAll(() => server.close());

  const discover = `const tools = await discoverMCPTools();
    const servers = [...new Set(tools.map((tool) => tool.name.split('__')[1]))].sort();
    return { servers, echo: await callMCPTool('mcp__everything__echo', { message: 'hi' }) };`;

  test('names each of them, and the others still work', async () => {
    const report = await server.run(discover, { allowedTools: ['*'] });
    expect(report).toMatchObject({ status: 'succeeded', result: { echo: 'Echo: hi' } });
    const broken = (report.unavailableServers ?? []).map((each) => each.server);
    expect(broken).toEqual(expect.arrayContaining(['absent', 'exits', 'silent', 'garbage']));
    const { servers } = report.result as { servers: string[] };
    expect(servers).toEqual(expect.arrayContaining(['dies', 'everything']));
    // The server with 10 MB of tools is either listed completely or refused by name; the listing never fails.
    expect([...servers, ...broken]).toContain('huge');
    expect(servers.filter((name) => broken.includes(name))).toEqual([]);
    // Each server is named once.
    expect(new Set(broken).size).toBe(broken.length);
    expect(report).not.toHaveProperty('stderr');
    const exits = report.unavailableServers?.find((each) => each.server === 'exits');
    // Its output goes only to the operator's log, and not to programs.
    expect(exits?.reason).toBe('it exited with code 3');
    expect(server.stderr).toContain('no token given');

    const { structured } = await server.call('health', {});
    expect(structured['servers']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'everything', state: 'connected' }),
        expect.objectContaining({ name: 'exits', state: 'failed' }),
      ]),
    );
  });

  test('names a server that dies during a call in the error', async () => {
    const report = await server.run(
      `try { await callMCPTool('mcp__dies__die', {}); } catch (error) { return { code: error.code, message: error.message }; }`,
      { allowedTools: ['mcp__dies__*'] },
    );
    expect(report).toMatchObject({
      status: 'succeeded',
      result: { code: 'unavailable', message: expect.stringContaining('dies') as unknown },
    });
    expect((await server.run(discover, { allowedTools: ['*'] })).status).toBe('succeeded');
  });
});
