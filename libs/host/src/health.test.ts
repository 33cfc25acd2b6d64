import type { IsolationMode, SandboxStatus } from '@code-executor/contracts';
import { expect, test } from '@jest/globals';

import { measureHealth } from './health.js';

const poolStats = { active: 0, waiting: 0, max: 1, servers: [] };
const stats = { running: 0, waiting: 0, max: 1, finished: 0 };
const languages = ['typescript', 'python'] as const;

test.each<[string, (IsolationMode | undefined)[], boolean]>([
  ['every language can run', ['strict', 'strict'], true],
  ['one language cannot run', ['strict', undefined], false],
  ['none can run', [undefined, undefined], false],
  ['none is enabled', [], false],
])('health says whether programs can run: %s', async (_what, modes, healthy) => {
  const sandboxes: SandboxStatus[] = modes.map((isolation, index) => ({
    language: languages[index] ?? 'python',
    ...(isolation && { isolation }),
  }));
  const executor = { stats, status: () => Promise.resolve(sandboxes) };
  expect(await measureHealth({ executor, poolStats })).toMatchObject({ healthy, sandboxes });
});

test('health reports that no language is enabled', async () => {
  const executor = { stats, status: () => Promise.resolve([]) };
  const health = await measureHealth({ executor, poolStats });
  expect(health).toMatchObject({
    healthy: false,
    note: 'No language is enabled, so no program can run; set executors.typescript.enabled or executors.python.enabled to true in the configuration.',
  });
  expect(health).not.toHaveProperty('isolation');
});
