import { type ChildProcess, type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { afterEach, describe, expect, test } from '@jest/globals';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

import {
  bin,
  createHome,
  descendantsOf,
  environmentOf,
  recordingServer,
  removeHome,
  StartedServer,
  until,
  untilGone,
} from './started-server.test.support.js';

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'e2e', version: '0' } },
});

describe('code-executor-mcp', () => {
  let running: StartedServer | undefined;
  const homes: string[] = [];
  const spawned: ChildProcess[] = [];
  afterEach(async () => {
    await running?.close();
    running = undefined;
    // Where a test failed before it ended its server.
    for (const child of spawned.splice(0)) child.kill('SIGKILL');
    for (const folder of homes.splice(0)) await removeHome(folder);
  });

  async function newHome(files: Record<string, string> = {}): Promise<string> {
    const home = await createHome(files);
    homes.push(home);
    return home;
  }

  /** Starts the built binary; its stdin stays open until `end`. */
  async function spawnServer(args: string[] = [], files: Record<string, string> = {}) {
    const home = await newHome(files);
    const child = spawn(process.execPath, [bin, ...args], { cwd: home, env: environmentOf(home) });
    spawned.push(child);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    return {
      child,
      home,
      ended,
      output: () => ({ stdout, stderr }),
      async result() {
        const code = await ended;
        return { code, stdout, stderr };
      },
    };
  }

  test('--help shows options and examples', async () => {
    const { code, stdout, stderr } = await (await spawnServer(['--help'])).result();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: code-executor-mcp .*--config <file>.*Examples:/s);
  });

  test('--version shows the version', async () => {
    expect(await (await spawnServer(['--version'])).result()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as unknown,
      stderr: '',
    });
  });

  test('an unknown option is exit code 2 and a hint', async () => {
    expect(await (await spawnServer(['--confg', 'x'])).result()).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'code-executor-mcp: unknown option "--confg"; did you mean --config?\nTry code-executor-mcp --help.\n',
    });
  });

  test.each([
    ['that is missing', undefined, /File .*config\.json does not exist/],
    ['with no JSON', '{ "security": ', /config\.json: line 1.*not valid JSON/],
    ['with an unknown key', '{ "secrity": {} }', /secrity.*security/],
    ['with a value out of range', '{ "security": { "maxTimeoutMs": 5 } }', /security\.maxTimeoutMs.*5/],
  ])(
    'a configuration %s is told to the client too, and works once it is mended',
    async (_what, text, problem) => {
      const files: Record<string, string> = text === undefined ? {} : { 'config.json': text };
      const started = await StartedServer.start(files, { CODE_EXECUTOR_CONFIG_PATH: 'config.json' });
      running = started;
      const { home, client, pid } = started;
      expect(client.getInstructions()).toMatch(problem);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['executeTypescript', 'executePython', 'health']);
      for (const language of ['typescript', 'python'] as const) {
        const report = await started.runIn(language, '1');
        expect(report).toMatchObject({ status: 'failed', errorCode: 'failed_precondition' });
        expect(report.error).toMatch(problem);
      }
      const health = await started.call('health', {});
      expect(health).toMatchObject({ isError: true, structured: { healthy: false } });
      expect(health.structured['error']).toMatch(problem);
      // Nothing was started, and nothing kept.
      expect(await descendantsOf(pid)).toEqual([]);
      expect(await readdir(home)).toEqual(Object.keys(files));
      const changed = new Promise<void>((resolve) => {
        client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
      });
      await writeFile(join(home, 'config.json'), '{ "security": { "maxTimeoutMs": 50000 } }');
      await changed;
      expect((await started.run('return 1')).result).toBe(1);
      expect((await started.call('health', {})).structured).toMatchObject({ healthy: true });
    },
  );

  test('a configuration that cannot be used is exit code 1 and the problem, at the end of stdin', async () => {
    const started = await spawnServer(['--config', 'config.json'], { 'config.json': '{ "secrity": {} }' });
    started.child.stdin.end();
    const { code, stdout, stderr } = await started.result();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^code-executor-mcp: .*config\.json: secrity is not a known key; did you mean security\?\n/,
    );
  });

  test('rules for a server that is not configured are no reason to stop, and everybody is told', async () => {
    const policy = { servers: { nowhere: { deny: ['x'] } } };
    running = await StartedServer.start({ '.code-executor.json': JSON.stringify({ policy }) });
    const warning = 'policy.servers.nowhere counts for nothing here: no server of that name is configured.';
    expect((await running.call('health', {})).structured['warnings']).toEqual([warning]);
    expect(running.stderr).toContain(warning);
  });

  test('no argument of an upstream server that fails is in the log or in any answer', async () => {
    const secrets = ['positional-4711', 'named-4711', 'abc'];
    const script = 'console.error(process.argv.slice(1).join(" ")); process.exit(1)';
    const entry = (command: string, ...args: string[]) => ({
      command,
      args: [...args, secrets[0], '--token', secrets[1], '--pwd', secrets[2]],
    });
    const mcpServers = {
      dies: entry(process.execPath, '-e', script, '--'),
      absent: entry('no-such-command'),
    };
    running = await StartedServer.start({ '.code-executor.json': JSON.stringify({ mcpServers }) });
    const code = `return Promise.all(['dies', 'absent'].map((name) =>
      callMCPTool('mcp__' + name + '__x', {}).catch(({ message }) => message)));`;
    const report = await running.run(code, { allowedTools: ['*'] });
    expect(report.result).toEqual([
      expect.stringContaining('exited with code 1'),
      expect.stringContaining('its command no-such-command was not found'),
    ]);
    const health = await running.call('health', {});
    expect(running.stderr).toContain('"stderr":"*** --token *** --pwd ***"');
    for (const secret of secrets) {
      expect(running.stderr + JSON.stringify([report, health])).not.toMatch(new RegExp(`\\b${secret}\\b`));
    }
  });

  test.each([
    ['of the configuration', '.code-executor.json'],
    ['of ~/.claude.json', '.claude.json'],
  ])('one broken server %s is left out alone, and everybody is told', async (_where, file) => {
    const mcpServers = {
      good: recordingServer('/dev/null'),
      unset: { command: 'x', env: { TOKEN: 'env:NO_SUCH_VARIABLE' } },
      foreign: { serverUrl: 'https://x.example' },
      wrong: { command: 5 },
      off: { disabled: true, command: 5 },
      'a b': { command: 'x' },
    };
    running = await StartedServer.start({ [file]: JSON.stringify({ mcpServers }) });
    const names = ['unset', 'foreign', 'wrong', '"a b"'];
    const instructions = running.client.getInstructions() ?? '';
    expect(instructions).toContain('Code can call the tools of these MCP servers: good.');
    for (const name of names) expect(instructions).toContain(`${name} (its definition in `);
    const { structured } = await running.call('health', {});
    const servers = structured['servers'] as { name: string; state: string }[];
    expect(servers.map(({ name, state }) => [name, state])).toEqual([
      ['good', 'idle'],
      ...names.map((name) => [name, 'failed']),
    ]);
    const warnings = structured['warnings'] as string[];
    for (const [index, name] of names.entries()) {
      expect(warnings[index]).toContain(`MCP server ${name} in ${running.home}/${file} is left out: `);
      expect(running.stderr).toContain(JSON.stringify(`MCP server ${name} in `).slice(1, -1));
    }
    const report = await running.run(
      `const caught = await callMCPTool('mcp__unset__x', {}).catch(({ message }) => message);
       return [caught, (await discoverMCPTools()).map(({ name }) => name)];`,
      { allowedTools: ['*'] },
    );
    expect(report.result).toEqual([
      expect.stringMatching(/unset.*NO_SUCH_VARIABLE.*not set.*Set that variable/),
      ['mcp__good__note'],
    ]);
    expect(report.unavailableServers?.map(({ server }) => server)).toEqual(expect.arrayContaining(names));
    // Programs and models learn no path of this machine.
    expect(JSON.stringify(report) + instructions).not.toContain(running.home);
  });

  /** A server whose program prints until it is ended. */
  async function startEndless(timeoutMs: number) {
    const started = await spawnServer();
    const code = 'for (;;) { console.log("x"); await new Promise((r) => setTimeout(r, 50)); }';
    const call = {
      name: 'executeTypescript',
      arguments: { code, timeoutMs },
      _meta: { progressToken: 1 },
    };
    const { child, output } = started;
    child.stdin.write(`${initialize}\n`);
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call })}\n`);
    await until(() => output().stdout.includes('notifications/progress'));
    return started;
  }

  test('writes nothing to stdout before it is asked, starts nothing and leaves no file', async () => {
    const { child, home, output, ended } = await spawnServer();
    // The log line comes when the server is ready.
    await until(() => output().stderr.includes('ready'));
    expect(output().stdout).toBe('');
    expect(await descendantsOf(child.pid ?? 0)).toEqual([]);
    child.stdin.write(`${initialize}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n`);
    await until(() => output().stdout.includes('"id":2'));
    for (const line of output().stdout.trim().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    }
    expect(await descendantsOf(child.pid ?? 0)).toEqual([]);
    expect(await readdir(home)).toEqual([]);
    child.stdin.end();
    expect(await ended).toBe(0);
  });

  test('survives lines that are no messages', async () => {
    const { child, output, ended } = await spawnServer();
    child.stdin.write(
      `nonsense\n{"jsonrpc":"2.0"}\n[]\n{"id":7,"method":"tools/call","params":5,"jsonrpc":"2.0"}\n`,
    );
    child.stdin.write(`${initialize}\n`);
    await until(() => output().stdout.includes('"id":1'));
    child.stdin.end();
    expect(await ended).toBe(0);
  });

  test('a message too large to read ends the server with code 1, not in silence', async () => {
    const { child, output, ended } = await spawnServer();
    child.stdin.on('error', () => undefined);
    child.stdin.write('x'.repeat(11 * 1024 * 1024));
    expect(await ended).toBe(1);
    expect(output().stderr).toContain('exceeded maximum size');
  });

  test('whatever ends it, the running program and all children end, after 30 s, with code 0', async () => {
    const ends: ((child: ChildProcessWithoutNullStreams) => unknown)[] = [
      (child) => child.stdin.end(),
      (child) => child.kill('SIGTERM'),
      (child) => child.kill('SIGINT'),
      // Who reads no more gets no answer: nothing is waited for.
      (child) => child.stdout.destroy(),
    ];
    const codes = ends.map(async (end) => {
      const { child, ended } = await startEndless(60_000);
      const pids = (await descendantsOf(child.pid ?? 0)).map(({ pid }) => pid);
      expect(pids.length).toBeGreaterThan(0);
      end(child);
      const code = await ended;
      await untilGone(pids);
      return code;
    });
    expect(await Promise.all(codes)).toEqual([0, 0, 0, 0]);
  });

  test('a signal after the end of stdin is waited for no longer, and the end is in order', async () => {
    const { child, home, output, ended } = await startEndless(20_000);
    child.stdin.end();
    await until(() => output().stderr.includes('The server ends'));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    const folder = join(home, '.code-executor', 'audit-logs');
    const [file = ''] = await readdir(folder);
    const lines = (await readFile(join(folder, file), 'utf8')).trim().split('\n');
    // Had it waited, the program would have timed out.
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ type: 'lifecycle', action: 'started' }),
      expect.objectContaining({ type: 'execution', errorCode: 'cancelled' }),
      expect.objectContaining({ type: 'lifecycle', action: 'stopped' }),
    ]);
  });

  test('is clean to the Inspector, and shows it a result', async () => {
    const home = await newHome();
    const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json');
    const { bin: bins } = JSON.parse(await readFile(manifest, 'utf8')) as { bin: Record<string, string> };
    const inspector = join(dirname(manifest), bins['mcp-inspector'] ?? '');
    const inspect = (...args: string[]) =>
      promisify(execFile)(process.execPath, [inspector, '--cli', bin, ...args], {
        cwd: home,
        env: environmentOf(home),
      });
    const listed = await inspect('--method', 'tools/list', '--strict');
    expect(`${listed.stdout}${listed.stderr}`).not.toMatch(/^(Warning|Error):/m);
    expect(listed.stdout).toContain('executeTypescript');
    const call = ['--method', 'tools/call', '--tool-name', 'executeTypescript', '--format', 'json'];
    const { stdout } = await inspect(...call, '--tool-args-json', '{"code":"return 42"}');
    expect(JSON.parse(stdout)).toMatchObject({ result: { structuredContent: { result: 42 } } });
  });

  test('takes the file of --config', async () => {
    const executors = { typescript: { enabled: false }, python: { enabled: false } };
    const config = JSON.stringify({ executors });
    const { child, output, ended } = await spawnServer(['--config', 'own.json'], { 'own.json': config });
    child.stdin.write(`${initialize}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n`);
    await until(() => output().stdout.includes('"id":2'));
    // Neither as a tool nor in the instructions.
    expect(output().stdout).not.toMatch(/executeTypescript|executePython/);
    child.stdin.end();
    expect(await ended).toBe(0);
  });
});
