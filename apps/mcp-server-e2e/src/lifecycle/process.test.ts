import { type ChildProcess, type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { afterEach, describe, expect, test } from '@jest/globals';

import { bin } from '../server-under-test/bin.js';
import { createHome, environmentOf, removeHome } from '../server-under-test/home.js';
import { descendantsOf, untilGone } from '../server-under-test/processes.js';
import { until } from '../server-under-test/until.js';

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'e2e', version: '0' } },
});

describe('code-executor-mcp', () => {
  const homes: string[] = [];
  const spawned: ChildProcess[] = [];
  afterEach(async () => {
    // A test may have failed before it ended its server.
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

  test('exits with code 2 and a hint for an unknown option', async () => {
    expect(await (await spawnServer(['--confg', 'x'])).result()).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'code-executor-mcp: unknown option "--confg"; did you mean --config?\nTry code-executor-mcp --help.\n',
    });
  });

  test('with an invalid configuration names the problem, and exits with code 1 at the end of stdin', async () => {
    const started = await spawnServer(['--config', 'config.json'], { 'config.json': '{ "secrity": {} }' });
    started.child.stdin.end();
    const { code, stdout, stderr } = await started.result();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^code-executor-mcp: .*config\.json: secrity is not a known key; did you mean security\?\n/,
    );
  });

  /** Starts a server with a program that prints until it is ended. */
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

  test('writes nothing to stdout before the first request, starts nothing and leaves no file', async () => {
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

  test('ignores lines that are not messages', async () => {
    const { child, output, ended } = await spawnServer();
    child.stdin.write(
      `nonsense\n{"jsonrpc":"2.0"}\n[]\n{"id":7,"method":"tools/call","params":5,"jsonrpc":"2.0"}\n`,
    );
    child.stdin.write(`${initialize}\n`);
    await until(() => output().stdout.includes('"id":1'));
    child.stdin.end();
    expect(await ended).toBe(0);
  });

  test('exits with code 1 and an error after a message that is too large', async () => {
    const { child, output, ended } = await spawnServer();
    child.stdin.on('error', () => undefined);
    child.stdin.write('x'.repeat(11 * 1024 * 1024));
    expect(await ended).toBe(1);
    expect(output().stderr).toContain('exceeded maximum size');
  });

  test('however it is ended, it exits with code 0 after at most 30 s, and ends its program and all children', async () => {
    const ends: ((child: ChildProcessWithoutNullStreams) => unknown)[] = [
      (child) => child.stdin.end(),
      (child) => child.kill('SIGTERM'),
      (child) => child.kill('SIGINT'),
      // A client that no longer reads gets no answer, so the server waits for nothing.
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

  test('stops waiting when a signal follows the end of stdin, and still ends cleanly', async () => {
    const { child, home, output, ended } = await startEndless(20_000);
    child.stdin.end();
    await until(() => output().stderr.includes('The server ends'));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    const folder = join(home, '.code-executor', 'audit-logs');
    const [file = ''] = await readdir(folder);
    const lines = (await readFile(join(folder, file), 'utf8')).trim().split('\n');
    // If it had waited, the program would have timed out.
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ type: 'lifecycle', action: 'started' }),
      expect.objectContaining({ type: 'execution', errorCode: 'cancelled' }),
      expect.objectContaining({ type: 'lifecycle', action: 'stopped' }),
    ]);
  });

  test('has no problems according to the Inspector, and shows it a result', async () => {
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

  test('uses the file given with --config', async () => {
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
