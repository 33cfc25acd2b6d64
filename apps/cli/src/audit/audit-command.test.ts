import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { runCli } from '../run-cli.test.support.js';

let home: string;
let file: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'cli-audit-'));
  await mkdir(join(home, 'audit-logs'));
  file = join(home, 'audit-logs', 'audit-2026-03-01.jsonl');
});
afterEach(() => rm(home, { recursive: true }));

const record = (fields: object) => ({
  timestamp: '2026-03-01T12:00:00.000Z',
  type: 'tool_call',
  status: 'success',
  ...fields,
});
const call = record({ toolName: 'mcp__git__log', server: 'git', executionId: 'exec_1', durationMs: 2.345 });
const denial = record({
  type: 'denial',
  status: 'rejected',
  toolName: 'x\u001b[31m\u202e',
  errorCode: 'permission_denied',
});
const run = record({
  type: 'execution',
  language: 'python',
  codeHash: 'abcdef0123456789',
  executionId: 'exec_1',
  correlationId: 'c'.repeat(32),
});
const write = (...records: object[]) =>
  writeFile(file, records.map((each) => `${JSON.stringify(each)}\n`).join(''));
const search = async (...args: string[]) => {
  const { code, stdout, stderr } = await runCli(home, 'audit', 'search', '--json', ...args);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as unknown;
};

describe('code-executor audit search', () => {
  test('shows a table, the newest first, without control characters', async () => {
    await write(call, denial, run);
    const { code, stdout, stderr } = await runCli(home, 'audit', 'search');
    expect([code, stderr]).toEqual([0, '']);
    const time = '2026-03-01T12:00:00.000Z';
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['Time', 'Type', 'Status', 'What', 'ms', 'Execution'],
      [time, 'execution', 'success', 'python abcdef012345', 'exec_1'],
      [time, 'denial', 'rejected permission_denied', 'x�[31m�'],
      [time, 'tool_call', 'success', 'mcp__git__log', '2.3', 'exec_1'],
      [''],
    ]);
  });

  test('escapes in JSON what could control the terminal, and keeps its meaning', async () => {
    const toolName = 'a\u0007\u009b31m\u202e\u2066\u200b\u{feff}\u{e0041}\u00e9\ud800';
    await write(record({ toolName }));
    const { stdout } = await runCli(home, 'audit', 'search', '--json');
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    expect(JSON.parse(stdout)).toEqual([record({ toolName })]);
    expect(stdout).toContain('é');
  });

  test('shows how many records were omitted, and refused requests', async () => {
    await write(
      record({ type: 'denial', status: 'rejected', action: 'omitted', count: 1900 }),
      record({ type: 'request_refused', status: 'rejected', httpStatus: 421 }),
    );
    const { stdout } = await runCli(home, 'audit', 'search');
    const rows = stdout.split('\n').slice(1, -1);
    expect(rows.map((line) => line.split(/ {2,}/).slice(1))).toEqual([
      ['request_refused', 'rejected', 'HTTP 421'],
      ['denial', 'rejected omitted', '1900 more'],
    ]);
  });

  test.each<[string[], object[]]>([
    [[], [run, denial, call]],
    [['--limit', '1'], [run]],
    [['--type', 'denial'], [denial]],
    [
      ['--status', 'success'],
      [run, call],
    ],
    [['--tool', 'mcp__git__log'], [call]],
    [['--server', 'git'], [call]],
    [
      ['--execution', 'exec_1'],
      [run, call],
    ],
    [['--trace', 'c'.repeat(32)], [run]],
    [['GIT'], [call]],
    [
      ['--since', '2026-03-01', '--until', '2026-03-01T12:00:00Z'],
      [run, denial, call],
    ],
    [['--since', '2026-03-01T12:00:01Z'], []],
  ])('shows the records that match %j', async (args, expected) => {
    await write(call, denial, run);
    expect(await search(...args)).toEqual(expected);
  });

  test('takes a duration as a time before now', async () => {
    const recent = record({ timestamp: new Date(Date.now() - 50 * 60_000).toISOString() });
    const path = join(home, 'audit-logs', `audit-${recent.timestamp.slice(0, 10)}.jsonl`);
    await writeFile(path, `${JSON.stringify(recent)}\n`);
    expect(await search('--since', '1h')).toEqual([recent]);
    expect(await search('--since', '40m')).toEqual([]);
    expect(await search('--since', '1d', '--until', '40m')).toEqual([recent]);
  });

  test('says so when no record matches, and when the log is damaged', async () => {
    expect(await runCli(home, 'audit', 'search')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'code-executor: No record matches.\n',
    });
    await writeFile(file, 'torn');
    const { code, stdout, stderr } = await runCli(home, 'audit', 'search', '--json');
    expect([code, stdout]).toEqual([0, '[]\n']);
    expect(stderr).toBe('code-executor: Parts of the audit log cannot be read; verify it to see which.\n');
  });

  test.each([
    ['--since', 'yesterday'],
    ['--since', '2026-99-99'],
    ['--limit', '0'],
    ['--type', 'other'],
    ['--status', 'other'],
  ])('refuses %s %s', async (...args) => {
    const { code, stderr } = await runCli(home, 'audit', 'search', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(args[0]);
  });
});

describe('code-executor audit verify', () => {
  test('names what is damaged, with exit code 1', async () => {
    await write(call, run);
    expect(await runCli(home, 'audit', 'verify')).toEqual({
      code: 0,
      stdout: '2 records in 1 files, 0 problems\n',
      stderr: '',
    });
    await appendFile(file, '{"timest');
    expect(await runCli(home, 'audit', 'verify')).toEqual({
      code: 1,
      stdout: 'audit-2026-03-01.jsonl:3: it breaks off\n2 records in 1 files, 1 problems\n',
      stderr: '',
    });
    const { code, stdout } = await runCli(home, 'audit', 'verify', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      files: ['audit-2026-03-01.jsonl'],
      records: 2,
      problems: [{ file: 'audit-2026-03-01.jsonl', line: 3, reason: 'it breaks off' }],
    });
  });

  test('reads the log that the configuration names, and a missing one is no problem', async () => {
    await writeFile(join(home, 'config.json'), JSON.stringify({ audit: { path: 'records.jsonl' } }), {
      mode: 0o600,
    });
    expect((await runCli(home, 'audit', 'verify')).stdout).toBe('0 records in 0 files, 0 problems\n');
    await writeFile(join(home, 'records.jsonl'), `${JSON.stringify(call)}\n`);
    expect((await runCli(home, 'audit', 'verify')).stdout).toBe('1 records in 1 files, 0 problems\n');
  });
});
