import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { PyodideSandbox } from './pyodide-sandbox.js';
import { snapshotDir } from './snapshot-dir.test.support.js';

/** An example from the Python documentation, with the output that the documentation shows below it. */
function exampleOf(name: string): { code: string; expected: string } {
  const code = readFileSync(new URL(`stdlib/${name}.test.py`, import.meta.url), 'utf8');
  const [, output] = code.split('\n# Expected output:\n#\n');
  if (output === undefined) throw new Error(`${name}.test.py does not say what it prints.`);
  return { code, expected: output.replace(/^#( {5})?/gm, '') };
}

describe.each(isolationsUnderTest())('The standard library (%s)', (isolation) => {
  let sandbox: PyodideSandbox;
  beforeAll(() => {
    sandbox = new PyodideSandbox({ isolation, snapshotDir: snapshotDir() });
  });
  afterAll(() => sandbox.close());

  const run = (code: string) =>
    sandbox.execute({ code, timeoutMs: 30_000, permissions: noPermissions, tools: fakeToolSource({}) });

  test.each([
    ['json'],
    ['re'],
    ['datetime'],
    ['collections'],
    ['itertools'],
    ['csv-io'],
    ['sqlite3'],
    ['statistics'],
    ['asyncio'],
    ['dataclasses'],
    ['decimal'],
    ['zoneinfo'],
    ['hashlib'],
    ['difflib'],
    ['textwrap'],
    ['heapq'],
    ['fractions'],
    ['string-template'],
    ['functools'],
  ])('runs the documented example of %s with the documented output', async (name) => {
    const { code, expected } = exampleOf(name);
    const { status, error, stdout, stderr } = await run(code);
    expect({ status, error, stdout, stderr }).toEqual({ status: 'succeeded', stdout: expected, stderr: '' });
  });

  // unittest reports on stderr, with a duration that differs each time.
  test('runs the documented example of unittest', async () => {
    const { code, expected } = exampleOf('unittest');
    const { status, error, stdout, stderr } = await run(code);
    const report = stderr.replace(/\d\.\d{3}s/, '0.000s');
    expect({ status, error, stdout, report }).toEqual({ status: 'succeeded', stdout: '', report: expected });
  });

  test('ends the program early if a test of unittest fails', async () => {
    const code = exampleOf('unittest').code.replace("'FOO')", "'BAR')");
    const { status, error, stderr } = await run(code);
    expect({ status, error }).toEqual({
      status: 'failed',
      error: {
        code: 'ended_early',
        message: 'The program called sys.exit(1).',
      },
    });
    expect(stderr).toContain("AssertionError: 'FOO' != 'BAR'");
    expect(stderr).toContain('\nFAILED (failures=1)\n');
  });
});
