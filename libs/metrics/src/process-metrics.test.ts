import { readFile } from 'node:fs/promises';

import { expect, test } from '@jest/globals';
import parsePrometheusTextFormat from 'parse-prometheus-text-format';

import { createMetrics } from './index.js';

const allSources = {
  pool: () => ({ active: 0, waiting: 0, servers: [] }),
  executor: () => ({ running: 0, waiting: 0 }),
  sandboxes: () => Promise.resolve([]),
  cache: () => ({ hits: 0, misses: 0 }),
};

test('has the metrics of the process and of Node, all of them numbers, from the first text on', async () => {
  const text = await createMetrics({}).render();

  const values = new Map(parsePrometheusTextFormat(text).map(({ name, metrics }) => [name, metrics]));
  expect(Number(values.get('process_resident_memory_bytes')?.[0]?.value)).toBeGreaterThan(1e6);
  expect(values.get('nodejs_version_info')?.[0]?.labels).toMatchObject({ version: process.version });
  expect(values.has('nodejs_eventloop_lag_p99_seconds')).toBe(true);
  const numbers = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
  expect(numbers.filter((number) => !Number.isFinite(number))).toEqual([]);
  expect(text).not.toMatch(/lag_min_seconds 9\d{9}/);
});

test('keeps the metrics of each instance apart', async () => {
  const [first, second] = [createMetrics({}), createMetrics({})];
  void first.record({
    type: 'denial',
    timestamp: '',
    status: 'rejected',
    errorCode: 'permission_denied',
    toolName: 'mcp__a__b',
    durationMs: 0,
  });

  expect(await first.render()).toContain('\ndenials_total 1\n');
  expect(await second.render()).toContain('\ndenials_total 0\n');
  expect(second.contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
});

test.each(['../README.md', '../../../docs/reference/metrics.md'])('%s names every metric', async (path) => {
  const document = await readFile(new URL(path, import.meta.url), 'utf8');
  const text = await createMetrics(allSources).render();

  const names = parsePrometheusTextFormat(text).map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  const own = names.filter((name) => !/^(?:process|nodejs)_/.test(name));
  expect(own).toHaveLength(23);
  expect(own.filter((name) => !document.includes(`\`${name}\``))).toEqual([]);
});
