import { fakeToolSource } from '@code-executor/contracts/testing';
import { createExecutor } from '@code-executor/executor';
import { expect, test } from '@jest/globals';

import { healthTool } from './health.js';

test('health says where no language is enabled', async () => {
  const executor = createExecutor({ tools: fakeToolSource({}), sandboxes: [] });
  const pool = { stats: { active: 0, waiting: 0, max: 100, servers: [] } };
  const health = healthTool({
    version: '1.2.3',
    services: () => Promise.resolve({ executor, lasting: { pool } }),
    warnings: () => [],
  });
  const { structured } = await health.call({}, { signal: new AbortController().signal });
  expect(structured).toMatchObject({
    healthy: false,
    note: 'No language is enabled, so no program can run; set executors.typescript.enabled or executors.python.enabled to true in the configuration.',
  });
  expect(structured).not.toHaveProperty('isolation');
});
