import {
  appendFile,
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { AuditEvent, AuditRecord } from '@code-executor/contracts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { AuditLog, type AuditLogOptions } from './index.js';

let folder: string;
let path: string;
let messages: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-log-'));
  path = join(folder, 'audit-logs');
  messages = [];
});
afterEach(() => rm(folder, { recursive: true }));

const warn = (_fields: object, message: string) => void messages.push(message);
const logger = { debug() {}, info() {}, warn, error: warn };
const now = () => new Date('2026-03-10T00:00:00.000Z');
const open = (options: Partial<AuditLogOptions> = {}) => new AuditLog({ path, logger, now, ...options });
/** An event with the fields that matter to a test. */
const event = (fields: Partial<AuditRecord> = {}) =>
  ({
    type: 'tool_call',
    timestamp: '2026-03-09T12:00:00.000Z',
    status: 'success',
    ...fields,
  }) as AuditEvent;
const file = 'audit-2026-03-09.jsonl';

describe('append', () => {
  test('opens nothing before the first record', async () => {
    const log = open();
    expect(await log.search()).toEqual([]);
    expect(await log.verify()).toEqual({ files: [], records: 0, problems: [] });
    await log.close();
    expect(await readdir(folder)).toEqual([]);
  });

  test("writes one line, in the file of the record's own date", async () => {
    const log = open();
    await log.append(event({ toolName: 'mcp__a__b', durationMs: 1.23456 }));
    await log.append(event({ timestamp: '2026-03-10T00:00:00.000Z' }));
    expect(await readdir(path)).toEqual([file, 'audit-2026-03-10.jsonl']);
    expect(await readFile(join(path, file), 'utf8')).toBe(
      '{"type":"tool_call","timestamp":"2026-03-09T12:00:00.000Z","status":"success","toolName":"mcp__a__b","durationMs":1.235}\n',
    );
    await log.close();
  });

  test('is waited for by close, even if the caller did not wait', async () => {
    const log = open();
    for (let count = 0; count < 100; count++) void log.append(event({ count }));
    await log.close();
    expect((await open().search({ limit: 1000 })).map(({ count }) => count)).toEqual(
      [...Array(100).keys()].reverse(),
    );
  });

  test.each(['audit.jsonl', 'AUDIT.LOG', 'audit.json', 'audit.txt'])(
    'treats %s as a single file',
    async (name) => {
      const log = open({ path: join(folder, name), retentionDays: 1 });
      await log.append(event({ timestamp: '2020-01-01T00:00:00.000Z' }));
      await log.append(event());
      await log.close();
      expect(await readdir(folder)).toEqual([name]);
      expect(await open({ path: join(folder, name) }).verify()).toEqual({
        files: [name],
        records: 2,
        problems: [],
      });
    },
  );
});

test('all records together stay within maxMegabytes, and the newest are kept', async () => {
  const log = open({ maxMegabytes: 1 });
  const toolName = 'x'.repeat(200);
  for (let batch = 0; batch < 20; batch++) {
    const events = Array.from({ length: 250 }, (_, n) => event({ toolName, count: 250 * batch + n }));
    await Promise.all(events.map((each) => log.append(each)));
  }
  const sizes = await Promise.all((await readdir(path)).map((name) => stat(join(path, name))));
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0);
  expect(bytes).toBeLessThanOrEqual(1024 * 1024);
  expect(bytes).toBeGreaterThan(800 * 1024);
  const found = await open().search({ limit: 1000 });
  expect(found.map(({ count }) => count)).toEqual(Array.from({ length: 1000 }, (_, n) => 4999 - n));
  await log.close();
});

describe('a record that cannot be written', () => {
  const gap =
    'The audit log has a gap. The record was not written to audit-2026-03-09.jsonl: its folder is a file; see to that place, or choose another.';

  test('is logged once, and once more when writing works again', async () => {
    await writeFile(path, '');
    const log = open();
    await Promise.all([log.append(event()), log.append(event())]);
    await log.append(event());
    expect(messages).toEqual([gap]);
    await rm(path);
    await log.append(event());
    await log.append(event());
    expect(messages.slice(1)).toEqual(['Audit records are written again; those in between are lost.']);
    expect((await log.verify()).records).toBe(2);
    await log.close();
  });

  test('is refused if a record is required', async () => {
    await writeFile(path, '');
    const log = open({ required: true });
    await expect(log.append(event())).rejects.toMatchObject({
      code: 'failed_precondition',
      message: `Nothing is done without an audit record (audit.required). ${gap.slice('The audit log has a gap. '.length)}`,
    });
    await rm(path);
    await log.append(event());
    await log.close();
  });

  test('is refused in a folder without write permission', async () => {
    const [user, nobody] = [process.getuid?.(), 65_534];
    await mkdir(path, { mode: 0o555 });
    if (user === 0) for (const each of [folder, path]) await chown(each, nobody, nobody);
    const log = open({ required: true });
    // The superuser may write everywhere, so somebody else has to try.
    if (user === 0) process.seteuid?.(nobody);
    try {
      await expect(log.append(event())).rejects.toMatchObject({
        code: 'failed_precondition',
        message: expect.stringContaining('access to it is denied'),
      });
    } finally {
      if (user === 0) process.seteuid?.(user);
    }
    await chmod(path, 0o700);
    await log.close();
  });

  test('does not change the target of a link', async () => {
    await mkdir(path);
    await writeFile(join(folder, 'canary'), 'canary');
    await symlink(join(folder, 'canary'), join(path, file));
    const log = open();
    await log.append(event());
    await log.close();
    expect(messages).toEqual([expect.stringContaining('a link is in its place')]);
    expect(await readFile(join(folder, 'canary'), 'utf8')).toBe('canary');
  });
});

describe('search', () => {
  const at = (minute: number) => `2026-03-0${minute % 2 === 0 ? 8 : 9}T12:0${minute}:00.000Z`;
  const records: AuditEvent[] = [
    event({ timestamp: at(0), type: 'execution', executionId: 'exec_1', correlationId: 'c1' }),
    event({ timestamp: at(2), executionId: 'exec_1', toolName: 'mcp__git__push', server: 'git' }),
    event({ timestamp: at(1), type: 'denial', status: 'rejected', toolName: 'mcp__git__pull' }),
    event({ timestamp: at(3), type: 'discovery', query: 'Create Issue', allowedTools: ['mcp__x'] }),
  ];
  const [execution, push, denial, discovery] = records;

  test.each([
    [{}, [discovery, denial, push, execution]],
    [{ limit: 2 }, [discovery, denial]],
    [{ type: 'denial' }, [denial]],
    [{ status: 'rejected' }, [denial]],
    [{ executionId: 'exec_1' }, [push, execution]],
    [{ executionId: 'exec_1', type: 'execution' }, [execution]],
    [{ correlationId: 'c1' }, [execution]],
    [{ toolName: 'mcp__git__push' }, [push]],
    [{ server: 'git' }, [push]],
    [{ query: 'create issue' }, [discovery]],
    [{ query: 'MCP__' }, [discovery, denial, push]],
    [{ query: 'nothing' }, []],
    [{ since: new Date(at(1)) }, [discovery, denial]],
    [{ until: new Date(at(1)) }, [denial, push, execution]],
    [{ since: new Date(at(2)), until: new Date(at(1)) }, [denial, push]],
  ] as const)('finds what matches %j, newest first', async (wanted, expected) => {
    const log = open();
    for (const record of records) await log.append(record);
    expect(await log.search(wanted)).toEqual(expected);
    await log.close();
  });

  test('finds the valid records among other lines, and logs that there are others', async () => {
    await mkdir(path);
    await writeFile(join(path, file), `torn\n${JSON.stringify(execution)}\n{"type":1}\n`);
    expect(await open().search()).toEqual([execution]);
    expect(messages).toEqual(['Parts of the audit log cannot be read; verify it to see which.']);
  });

  test('returns only the fields that a record may have, with values of the right kind', async () => {
    await mkdir(path);
    const { type, timestamp } = event();
    const nest = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const fields = `"type":"${type}","timestamp":"${timestamp}","codeHash":5,"toolName":{"toString":1}`;
    await writeFile(join(path, file), `{${fields},"durationMs":"1","server":"git","own":${nest}}\n`);
    expect(await open().search({ query: 'git' })).toEqual([{ type, timestamp, server: 'git' }]);
    expect(await open().search({ query: 'other' })).toEqual([]);
  });
});

describe('verify', () => {
  test('reports what is not a record, with file and line', async () => {
    const log = open();
    await log.append(event());
    await log.append(event({ timestamp: '2026-03-10T00:00:00.000Z' }));
    const second = join(path, 'audit-2026-03-10.jsonl');
    await appendFile(second, '{"timestamp":"2026-03-10T00:00:00.000Z"}\n{"type":"exec');
    expect(await log.verify()).toEqual({
      files: [file, 'audit-2026-03-10.jsonl'],
      records: 2,
      problems: [
        { file: 'audit-2026-03-10.jsonl', line: 2, reason: 'it is no record of this log' },
        { file: 'audit-2026-03-10.jsonl', line: 3, reason: 'it breaks off' },
      ],
    });
    await writeFile(second, 'x\n'.repeat(2000));
    expect((await log.verify()).problems).toHaveLength(1000);
    await log.close();
  });
});

describe('retention', () => {
  const fill = async () => {
    await mkdir(path);
    for (const day of ['01', '02', '03']) await writeFile(join(path, `audit-2026-03-${day}.jsonl`), '');
  };

  test('removes the files of expired days, with the first record', async () => {
    await fill();
    const log = open({ retentionDays: 7 });
    await log.append(event());
    await log.close();
    expect(await readdir(path)).toEqual(['audit-2026-03-03.jsonl', file]);
    expect(messages).toEqual([]);
  });

  test('logs a file that cannot be removed, and goes on writing', async () => {
    await mkdir(join(path, 'audit-2026-01-01.jsonl'), { recursive: true });
    const log = open();
    await log.append(event());
    await log.close();
    expect(messages).toEqual([
      expect.stringMatching(/^Old audit records stay\. audit-2026-01-01\.jsonl has expired/),
    ]);
    expect((await log.verify()).records).toBe(1);
  });

  test('keeps 30 days by default', async () => {
    await fill();
    const log = open();
    await log.append(event());
    await log.close();
    expect((await readdir(path)).length).toBe(4);
  });
});
