import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from '@jest/globals';

import { until } from '../server-under-test/until.js';
import { overStdio } from './effect-check.js';
import { noSpares } from './upstream.js';

const sandbox = { spares: noSpares };
const isThere = async (path: string) => (await stat(path).catch(() => undefined)) !== undefined;

function fileOfDay(daysAgo: number): string {
  return `audit-${new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)}.jsonl`;
}

/** Computed now, because the files may be checked after midnight. */
const [longAgo, yesterday, today] = [fileOfDay(6), fileOfDay(1), fileOfDay(0)];

export const recordChecks = [
  overStdio({
    config: { audit: { path: 'records.jsonl', code: 'full' }, sandbox },
    shows: {
      'audit.code': async (server) => {
        await server.run('return "on record"');
        const records = await readFile(join(server.home, 'records.jsonl'), 'utf8');
        expect(records).toContain(JSON.stringify('return "on record"').slice(1, -1));
      },
    },
  }),
  overStdio({
    config: { audit: { enabled: false }, sandbox },
    instead: { 'audit.enabled': true },
    shows: {
      'audit.enabled': async (server) => {
        expect(await server.run('return 1')).toMatchObject({ success: true });
        expect(await isThere(join(server.home, '.code-executor', 'audit-logs'))).toBe(false);
      },
    },
  }),
  overStdio({
    config: { audit: { path: 'records.jsonl' }, sandbox },
    instead: { 'audit.path': 'others.jsonl' },
    shows: {
      'audit.path': async (server) => {
        await server.run('return 1');
        expect(await readFile(join(server.home, 'records.jsonl'), 'utf8')).toContain('"type":"execution"');
        expect(await isThere(join(server.home, 'others.jsonl'))).toBe(false);
      },
    },
  }),
  overStdio({
    config: { audit: { path: '.', retentionDays: 3 }, sandbox },
    instead: { 'audit.retentionDays': 100 },
    files: { [yesterday]: '', [longAgo]: '' },
    shows: {
      'audit.retentionDays': async (server) => {
        await server.run('return 1');
        const files = async () => (await readdir(server.home)).filter((name) => name.startsWith('audit-'));
        await until(async () => !(await files()).includes(longAgo));
        const [kept, ...written] = (await files()).sort();
        expect(kept).toBe(yesterday);
        expect(written).not.toEqual([]);
        expect([today, fileOfDay(0)]).toEqual(expect.arrayContaining(written));
      },
    },
  }),
  overStdio({
    config: { audit: { path: '.', maxMegabytes: 1 }, sandbox },
    instead: { 'audit.maxMegabytes': 100 },
    // Empty lines.
    files: { [yesterday]: '\n'.repeat(2 * 1024 * 1024) },
    shows: {
      'audit.maxMegabytes': async (server) => {
        await server.run('return 1');
        await until(async () => !(await isThere(join(server.home, yesterday))));
        const files = (await readdir(server.home)).filter((name) => name.startsWith('audit-'));
        expect(files).not.toEqual([]);
      },
    },
  }),
  overStdio({
    config: { audit: { path: 'taken', required: true }, sandbox },
    files: { taken: '' },
    shows: {
      'audit.required': async (server) => {
        const { errorCode, error } = await server.run('return 1');
        expect([errorCode, error]).toEqual([
          'failed_precondition',
          expect.stringContaining('(audit.required)'),
        ]);
      },
    },
  }),
  overStdio({
    config: { log: { level: 'warn' }, sandbox },
    instead: { 'log.level': 'silent' },
    // A warning that is logged before the server reports that it is ready.
    files: { '.claude.json': '{ "mcpServers": { "bad": { "command": 5 } } }' },
    shows: {
      'log.level': async (server) => {
        await server.run('return 1');
        await until(() => server.stderr.includes('"level":40'));
        expect(server.stderr).not.toContain('"level":30');
      },
    },
  }),
];
