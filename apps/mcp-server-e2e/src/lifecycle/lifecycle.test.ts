import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, describe, expect, test } from '@jest/globals';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

import { auditRecordsOf } from '../server-under-test/audit-records.js';
import { descendantsOf, untilGone } from '../server-under-test/processes.js';
import { StartedServer } from '../server-under-test/started-server.js';
import { until } from '../server-under-test/until.js';
import { realServer } from '../upstream-servers/entries.js';

let running: StartedServer | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

async function start(config: object, files: Record<string, string> = {}): Promise<StartedServer> {
  return (running = await StartedServer.start({ ...files, '.code-executor.json': JSON.stringify(config) }));
}

/** Starts a program that runs until it is told to end; resolves when it runs. */
async function startLong(server: StartedServer) {
  let tell: () => void = () => undefined;
  const printed = new Promise<void>((resolve) => (tell = resolve));
  const gate = join(server.home, 'gate');
  const code = `console.log('begun');
    const isOpen = () => Deno.readTextFile(${JSON.stringify(gate)}).then(() => true, () => false);
    while (!(await isOpen())) await new Promise((done) => setTimeout(done, 20));
    return 'whole';`;
  const args = { timeoutMs: 60_000, permissions: { read: [server.home] } };
  const report = server.run(code, args, { onprogress: () => tell() });
  await printed;
  return { report, end: () => writeFile(gate, '') };
}

async function isCalling(server: StartedServer): Promise<boolean> {
  const { structured } = await server.call('health', {});
  return (structured['connectionPool'] as { active: number }).active === 1;
}

/** Resolves when the server notifies that its tools have changed. */
function toolsChanged({ client }: StartedServer): Promise<void> {
  return new Promise((resolve) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
  });
}

/** The types and actions of the audit records. */
async function recordsOf(server: StartedServer): Promise<string[]> {
  const records = await auditRecordsOf(server.home);
  return records.map(({ type, action }) => (action === undefined ? type : `${type} ${action}`));
}

const level = { log: { level: 'info' } };

describe('the end of the server', () => {
  const config = { ...level, security: { allowRead: ['.'] } };

  test('on SIGTERM lets executions finish, refuses new ones, and records both', async () => {
    const server = await start(config);
    const long = await startLong(server);
    process.kill(server.pid, 'SIGTERM');
    await until(() => server.stderr.includes('The server ends'));
    const refused = await server.run('return 1');
    expect(refused).toMatchObject({ errorCode: 'unavailable', retryAfterMs: 30_000 });
    await long.end();
    expect(await long.report).toMatchObject({ success: true, result: 'whole' });
    await untilGone([server.pid]);
    expect(await recordsOf(server)).toEqual([
      'lifecycle started',
      'execution',
      'execution',
      'lifecycle stopped',
    ]);
  });

  test('is not delayed by a configuration that changes meanwhile', async () => {
    const server = await start(config);
    const long = await startLong(server);
    process.kill(server.pid, 'SIGTERM');
    await until(() => server.stderr.includes('The server ends'));
    await writeFile(
      join(server.home, '.code-executor.json'),
      JSON.stringify({ ...level, sandbox: { maxConcurrent: 7 } }),
    );
    process.kill(server.pid, 'SIGHUP');
    await until(() => server.stderr.includes('read again'));
    expect(await server.run('return 1')).toMatchObject({ errorCode: 'unavailable' });
    await long.end();
    expect(await long.report).toMatchObject({ success: true, result: 'whole' });
    await untilGone([server.pid]);
  });

  test('comes at once after a second signal, and leaves no process behind', async () => {
    const server = await start(config);
    const long = await startLong(server);
    long.report.catch(() => undefined);
    const children = (await descendantsOf(server.pid)).map(({ pid }) => pid);
    expect(children).not.toEqual([]);
    process.kill(server.pid, 'SIGTERM');
    await until(() => server.stderr.includes('The server ends'));
    process.kill(server.pid, 'SIGTERM');
    await untilGone([server.pid, ...children]);
  });
});

describe('a configuration that changes', () => {
  const policy = { policy: { defaultAllowedTools: ['*'] } };
  const servers = (...names: string[]) =>
    JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, realServer('everything')])) });
  const listed = 'return [...new Set((await discoverMCPTools()).map(({ server }) => server))]';

  test('adds and removes servers without affecting running programs and other servers', async () => {
    // A listing waits for all servers, however long they take to start.
    const discovery = { timeoutMs: 60_000 };
    const server = await start({ ...level, ...policy, discovery }, { '.claude.json': servers('one', 'two') });
    expect((await server.run(listed)).result).toEqual(['one', 'two']);
    const described = async () => {
      const { tools } = await server.client.listTools();
      return tools.slice(0, 2).map(({ description }) => /Servers: (.*?\.)/.exec(description ?? '')?.[1]);
    };
    expect(await described()).toEqual(['one, two.', 'one, two.']);
    const changed = toolsChanged(server);
    const pids = async () => (await descendantsOf(server.pid)).map(({ pid }) => pid);
    const before = await pids();
    const long = server.run(
      'await tools.two.triggerLongRunningOperation({ duration: 6, steps: 2 }); return "whole"',
    );
    await until(() => isCalling(server));
    await writeFile(join(server.home, '.claude.json'), servers('one', 'three'));
    process.kill(server.pid, 'SIGHUP');
    await until(() => server.stderr.includes('read again'));
    expect((await server.run(listed)).result).toEqual(['one', 'three']);
    // The tool descriptions name the servers, and clients are notified when these change.
    await changed;
    expect(await described()).toEqual(['one, three.', 'one, three.']);
    expect(await long).toMatchObject({ success: true, result: 'whole' });
    const { structured } = await server.call('health', {});
    expect(structured['servers']).toEqual([
      { name: 'one', state: 'connected' },
      { name: 'three', state: 'connected' },
    ]);
    expect((await pids()).filter((pid) => before.includes(pid)).length).toBeGreaterThan(0);
    expect(await recordsOf(server)).toContain('config reloaded');
  });

  test('changes policy and limits for later executions, and the tools that clients see', async () => {
    const server = await start(level, { '.claude.json': servers('one') });
    const call = 'return await tools.one.echo({ message: "hi" })';
    expect((await server.run(call)).errorCode).toBe('user_error');
    const changed = toolsChanged(server);
    const config = { ...level, ...policy, security: { maxTimeoutMs: 40_000 } };
    await writeFile(join(server.home, '.code-executor.json'), JSON.stringify(config));
    await changed;
    expect((await server.run(call)).result).toBe('Echo: hi');
    const { tools } = await server.client.listTools();
    expect(JSON.stringify(tools.find(({ name }) => name === 'executeTypescript')?.inputSchema)).toContain(
      '40000',
    );
  });

  test('keeps the servers connected, with their state, unless keys of the pool change', async () => {
    // The first listing must wait for the server, even on a busy machine.
    const discovery = { timeoutMs: 60_000 };
    const config = { ...level, ...policy, discovery, sandbox: { spares: { typescript: 0, python: 0 } } };
    const server = await start(config, { '.claude.json': servers('one') });
    expect((await server.run(listed)).result).toEqual(['one']);
    const processes = async () =>
      (await descendantsOf(server.pid))
        .filter(({ commandLine }) => commandLine.includes('server-everything'))
        .map(({ pid }) => pid);
    const before = await processes();
    expect(before).toHaveLength(1);
    const long = server.run(
      'await tools.one.triggerLongRunningOperation({ duration: 6, steps: 2 }); return "whole"',
    );
    await until(() => isCalling(server));
    const change = async (changes: object) => {
      const said = server.stderr.length;
      await writeFile(join(server.home, '.code-executor.json'), JSON.stringify({ ...config, ...changes }));
      process.kill(server.pid, 'SIGHUP');
      await until(() => server.stderr.includes('read again', said));
    };
    await change({ security: { maxTimeoutMs: 40_000 } });
    expect((await server.run('return 1', { timeoutMs: 50_000 })).success).toBe(false);
    expect(await long).toMatchObject({ success: true, result: 'whole' });
    expect((await server.run('return await tools.one.echo({ message: "hi" })')).result).toBe('Echo: hi');
    expect(await processes()).toEqual(before);
    await change({ pool: { maxConcurrent: 7 } });
    await untilGone(before);
    expect((await server.run('return await tools.one.echo({ message: "hi" })')).result).toBe('Echo: hi');
    expect((await server.call('health', {})).structured['connectionPool']).toMatchObject({ max: 7 });
  });

  test('is reported if it is invalid, and the old one stays; SIGHUP reads it at once', async () => {
    const server = await start({ ...level, ...policy }, { '.claude.json': servers('one') });
    expect((await server.run('return 1')).result).toBe(1);
    const file = join(server.home, '.code-executor.json');
    await writeFile(file, '{ "polcy": {} }');
    process.kill(server.pid, 'SIGHUP');
    // The message must name this mistake, because the file may also be read while it is empty.
    await until(() => /stays as it was.*polcy.*policy/.test(server.stderr));
    expect((await server.run('return await tools.one.echo({ message: "hi" })')).result).toBe('Echo: hi');
    await until(async () => (await recordsOf(server)).includes('config refused'));
    const warnings = async () => (await server.call('health', {})).structured['warnings'];
    expect(await warnings()).toEqual([expect.stringMatching(/^The configuration stays as it was: .*polcy/)]);
    await writeFile(file, JSON.stringify({ ...level, policy: { ceiling: [] } }));
    process.kill(server.pid, 'SIGHUP');
    await until(() => server.stderr.includes('read again'));
    expect(await warnings()).toBeUndefined();
    expect((await server.run('return await tools.one.echo({ message: "hi" })')).success).toBe(false);
  });

  test('removes no servers if their file is broken, and applies its other changes', async () => {
    const server = await start({ ...level, ...policy }, { '.claude.json': servers('one') });
    // A listing does not wait for servers that are still starting.
    await until(async () => ((await server.run(listed)).result as string[])[0] === 'one');
    await writeFile(join(server.home, '.claude.json'), servers('two').slice(0, 40));
    process.kill(server.pid, 'SIGHUP');
    await until(() => server.stderr.includes('The servers of a file stay as they were'));
    expect(server.stderr).toContain('.claude.json is not as it should be');
    await until(async () => (await recordsOf(server)).includes('config refused'));
    expect((await server.run(listed)).result).toEqual(['one']);
    await writeFile(join(server.home, '.code-executor.json'), JSON.stringify(level));
    process.kill(server.pid, 'SIGHUP');
    await until(() => server.stderr.includes('read again'));
    expect((await server.run('return await tools.one.echo({ message: "hi" })')).errorCode).toBe('user_error');
    // No signal announces that the file is valid again.
    await writeFile(join(server.home, '.claude.json'), servers('two'));
    // While the new server is starting, the list is empty.
    const lists: string[][] = [];
    await until(async () => {
      lists.push((await server.run(listed)).result as string[]);
      return lists.at(-1)?.[0] === 'two';
    });
    expect(lists.filter((names) => !['one', 'two', ''].includes(names.join()))).toEqual([]);
  });
});
