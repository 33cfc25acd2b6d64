import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { runCli } from '../run-cli.test.support.js';

let home: string;
let file: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'cli-cache-'));
  file = join(home, 'schema-cache.json');
});
afterEach(() => rm(home, { recursive: true }));

const keep = (...entries: object[]) =>
  writeFile(file, JSON.stringify({ version: 1, entries }), { mode: 0o600 });
const entry = { key: 'github', value: { tools: [] }, storedAt: 1000, expiresAt: 2000 };

describe('code-executor cache', () => {
  test('shows the cached lists as a table and as JSON', async () => {
    await keep(
      { ...entry, key: 'github#0123456789abcdef01', storedAt: Date.now(), expiresAt: Date.now() + 7_200_000 },
      { ...entry, key: 'old\u001b[31m' },
    );
    const { code, stdout, stderr } = await runCli(home, 'cache', 'show');
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(lines[0]).toEqual(['Server', 'Size', 'Age', 'Stale']);
    expect(lines[1]).toEqual(['github', '0.0 kB', '0 min', 'in 2 h']);
    expect(lines[2]?.[0]).toBe('old�[31m');
    expect(lines[2]?.[3]).toBe('stale');
    await keep(entry);
    const asJson = await runCli(home, 'cache', 'show', '--json');
    expect(JSON.parse(asJson.stdout)).toEqual([
      { key: 'github', bytes: 12, storedAt: 1000, expiresAt: 2000 },
    ]);
  });

  test('says so when nothing is cached', async () => {
    expect(await runCli(home, 'cache', 'show')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'code-executor: No tool lists are cached yet. The server caches them when it lists tools.\n',
    });
    expect((await runCli(home, 'cache', 'show', '--json')).stdout).toBe('[]\n');
  });

  test('clears the cache', async () => {
    await keep(entry);
    expect(await runCli(home, 'cache', 'clear')).toEqual({ code: 0, stdout: 'Cleared\n', stderr: '' });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ version: 1, entries: [] });
  });

  test('fails when the Redis of the configuration does not answer', async () => {
    const store = 'redis://127.0.0.1:1';
    await writeFile(join(home, 'config.json'), JSON.stringify({ schemaCache: { store } }), { mode: 0o600 });
    const { code, stderr } = await runCli(home, 'cache', 'show');
    expect(code).toBe(1);
    expect(stderr).toContain('Redis does not answer');
  });
});
