import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { root } from '../run.mjs';
import { applyEdits, toJavaScript } from './product-copy.mjs';
import { walls } from './walls.mjs';

// To remove each wall takes hours, so this only tests that it can be done.
test('the edits that remove a wall match the code, and the result still compiles', async () => {
  const stale = [];
  for (const { name, edits } of walls) {
    try {
      for (const [file, { after }] of applyEdits(root, edits)) {
        if (!file.endsWith('.py')) await toJavaScript(after);
      }
    } catch (error) {
      stale.push(`${name}: ${error.message}`);
    }
  }
  assert.deepEqual(stale, []);
});

test('the attacks that must notice a missing wall exist', () => {
  const table = readFileSync(join(root, 'docs', 'security', 'attacks.md'), 'utf8');
  const ids = new Set(walls.flatMap(({ attacks }) => attacks));
  const unknown = [...ids].filter((id) => !table.includes(`\n| ${id} |`));
  assert.deepEqual(unknown, []);
});
