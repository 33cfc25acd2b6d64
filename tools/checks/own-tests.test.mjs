import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { run } from '../run.mjs';

/** Runs the tests of a file in a process of its own, because the runner refuses to run inside itself. */
async function check(body) {
  const folder = mkdtempSync(join(tmpdir(), 'own-tests-'));
  try {
    writeFileSync(join(folder, 'a.test.mjs'), `import { describe, test } from 'node:test';\n${body}`);
    const module = new URL('./own-tests.mjs', import.meta.url);
    const script = join(folder, 'run.mjs');
    writeFileSync(
      script,
      `import { runOwnTests } from ${JSON.stringify(module)};
      console.log(JSON.stringify((await runOwnTests(import.meta.dirname))[0]));`,
    );
    const { stdout } = await run(process.execPath, [script]);
    const { passed, failed, detail } = JSON.parse(stdout);
    return { counts: [passed, failed], detail };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('counts all tests, including those in groups', async () => {
  const { counts } = await check("test('x', () => {}); describe('g', () => { test('y', () => {}); });");
  assert.deepEqual(counts, [2, 0]);
});

test('counts a failing test once, even in a group', async () => {
  const { counts, detail } = await check(
    "describe('g', () => { test('y', () => { throw new Error('broken'); }); });",
  );
  assert.deepEqual(counts, [0, 1]);
  assert.match(detail, /✗ y\n.*broken/);
});

test('counts a group that throws', async () => {
  const { counts, detail } = await check("describe('g', () => { throw new Error('broken'); });");
  assert.deepEqual(counts, [0, 1]);
  assert.match(detail, /✗ g\n.*broken/);
});

test('counts skipped tests and groups as failed', async () => {
  const { counts } = await check("test.skip('x', () => {}); describe.skip('g', () => {});");
  assert.deepEqual(counts, [0, 2]);
});

for (const [what, body] of Object.entries({
  'at once': 'process.exit(0);',
  'inside the first test': "test('x', () => process.exit(0)); test('y', () => {});",
  'after some tests': `test('x', () => {});
    test('y', async () => { await new Promise((done) => setTimeout(done, 100)); process.exit(0); });
    test('z', () => {});`,
})) {
  test(`counts a file as failed that exits with code 0 ${what}`, async () => {
    const { counts, detail } = await check(body);
    assert.equal(counts[1], 1, detail);
    assert.match(detail, /reported no test|never ended/);
  });
}
