import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { runCli } from '../run-cli.test.support.js';

const bin = fileURLToPath(new URL('../../bin/code-executor.js', import.meta.url));
let home: string;
let project: string;
let file: string;
beforeEach(async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'cli-trust-')));
  [home, project] = [join(root, 'home'), join(root, 'project')];
  file = join(project, '.mcp.json');
  await mkdir(home, { mode: 0o700 });
  await mkdir(project);
});
afterEach(() => rm(join(home, '..'), { recursive: true }));

const note = (text: string) => `code-executor: ${text}\n`;
const store = () =>
  readFile(join(home, 'trusted-projects.json'), 'utf8').then(
    (text) => Object.keys((JSON.parse(text) as { files: object }).files),
    () => [],
  );
const writeRequest = () =>
  writeFile(
    file,
    JSON.stringify({
      mcpServers: {
        a: { command: 'run', args: ['--now'], env: { T: 'env:TOKEN' } },
        b: { url: 'http://h/' },
      },
    }),
  );
const description = `.mcp.json:
  a starts run --now
    with the environment T=env:TOKEN
    is told the value of your variables TOKEN
  b connects to http://h/
`;

describe('code-executor trust', () => {
  test('shows what a project asks for, and approves nothing without a terminal to ask at', async () => {
    await writeRequest();
    expect(await runCli(home, 'trust', project)).toEqual({
      code: 1,
      stdout: description,
      stderr:
        note('There is no terminal to ask at; if you trust this project, add --yes.') +
        note('Nothing was approved.'),
    });
    expect(await store()).toEqual([]);
  });

  test('--yes approves, until the file changes', async () => {
    await writeRequest();
    const approved = await runCli(home, 'trust', project, '--yes');
    expect(approved).toMatchObject({ code: 0, stdout: description });
    expect(await store()).toEqual([file]);
    expect(await runCli(home, 'trust', project)).toEqual({
      code: 0,
      stdout: description,
      stderr: note('This project is approved already.'),
    });
    await writeFile(file, '{ "mcpServers": { "a": { "command": "evil" } } }');
    expect((await runCli(home, 'trust', project)).code).toBe(1);
  });

  test.each([
    ['y\n', 0, 1],
    ['YES\n', 0, 1],
    ['n\n', 1, 0],
    ['\n', 1, 0],
    ['yep\n', 1, 0],
    ['', 1, 0],
  ])('asks at a terminal, and after the answer %j the exit code is %i', async (answer, code, approvals) => {
    await writeRequest();
    // `script` gives the command a terminal; stdin is its keyboard.
    const line = `${process.execPath} ${bin} trust ${project}`;
    const child = spawn('script', ['-qec', line, '/dev/null'], {
      env: { PATH: process.env['PATH'], HOME: home, CODE_EXECUTOR_HOME: home, SHELL: '/bin/sh' },
    });
    let shown = '';
    child.stdout.on('data', (chunk: Buffer) => {
      const wasAsked = shown.includes('[y/N]');
      shown += chunk.toString();
      // An empty answer stands for the end of input.
      if (!wasAsked && shown.includes('[y/N]')) child.stdin.write(answer === '' ? '\u0004' : answer);
    });
    const ended = await new Promise<number | null>((resolve) => child.on('close', resolve));
    expect({ ended, approvals: (await store()).length }).toEqual({ ended: code, approvals });
    expect(shown).toContain('a starts run --now');
  });

  test('--json prints the whole request without asking', async () => {
    await writeRequest();
    const read = async (...args: string[]) => {
      const { code, stdout } = await runCli(home, 'trust', project, '--json', ...args);
      return { code, request: JSON.parse(stdout) as Record<string, unknown> };
    };
    expect(await read()).toMatchObject({
      code: 0,
      request: {
        folder: project,
        files: [{ path: file, isTrusted: false }],
        servers: [{ name: 'a', command: ['run', '--now'], reads: ['TOKEN'] }, { name: 'b' }],
        trusted: false,
      },
    });
    expect(await store()).toEqual([]);
    expect(await read('--yes')).toMatchObject({ code: 0, request: { trusted: true } });
    expect(await store()).toEqual([file]);
  });

  test('--list shows what is approved, and --remove removes the approval', async () => {
    await writeRequest();
    expect(await runCli(home, 'trust', '--list')).toMatchObject({
      code: 0,
      stderr: note('Nothing is approved.'),
    });
    await runCli(home, 'trust', project, '--yes');
    expect((await runCli(home, 'trust', '--list')).stdout).toMatch(
      new RegExp(`^File +Content\n${file} +sha256:[0-9a-f]{12}\n$`),
    );
    expect(JSON.parse((await runCli(home, 'trust', '--list', '--json')).stdout)).toMatchObject([
      { path: file },
    ]);
    expect(await runCli(home, 'trust', project, '--remove')).toMatchObject({
      code: 0,
      stderr: note('Approval removed for 1 file.'),
    });
    expect(await store()).toEqual([]);
    expect((await runCli(home, 'trust', project, '--remove')).stderr).toBe(
      note('Nothing was approved there.'),
    );
  });

  test('approves nothing if a file of the project cannot be used', async () => {
    await writeRequest();
    await writeFile(join(project, '.code-executor.json'), '{ "secrity": {} }');
    const { code, stdout, stderr } = await runCli(home, 'trust', project, '--yes');
    expect(code).toBe(1);
    expect(stdout).toContain('Problem: Configuration file ');
    expect(stderr).toBe(note('Nothing was approved; fix the problems first.'));
    expect(await store()).toEqual([]);
  });

  test('says so when there is nothing to approve', async () => {
    expect(await runCli(home, 'trust', project, '--yes')).toEqual({
      code: 0,
      stdout: '',
      stderr: note('There is nothing to approve: neither .mcp.json nor .code-executor.json exists.'),
    });
  });

  test('refuses more than one of --yes, --list and --remove', async () => {
    expect((await runCli(home, 'trust', '--yes', '--remove')).code).toBe(2);
  });
});
