import assert from 'node:assert/strict';
import { test } from 'node:test';

import { storm } from './storm.mjs';

test('upstream servers that misbehave in every way for 5 s do not harm others', async () => {
  const { findings } = await storm(5, { isCompared: false });
  assert.deepEqual(findings, []);
});
