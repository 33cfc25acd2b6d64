import { expect, test } from '@jest/globals';

import { noPermissions } from '@code-executor/contracts';
import { describeSandbox, fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { PyodideSandbox } from './pyodide-sandbox.js';
import { snapshotDir } from './snapshot-dir.test.support.js';

for (const isolation of isolationsUnderTest()) {
  describeSandbox(`PyodideSandbox (${isolation})`, () =>
    Promise.resolve(new PyodideSandbox({ isolation, snapshotDir: snapshotDir() })),
  );
}

test('A PyodideSandbox refuses less memory than Python needs', () => {
  expect(() => new PyodideSandbox({ memoryMb: 255 })).toThrow(
    'Python needs a memoryMb of 256 or more, not 255.',
  );
});

test('The timeout of a program does not include the start of the interpreter', async () => {
  const sandbox = new PyodideSandbox({ snapshotDir: snapshotDir(), spares: { count: 0 } });
  const run = (code: string, timeoutMs: number) =>
    sandbox.execute({ code, timeoutMs, permissions: noPermissions, tools: fakeToolSource({}) });
  try {
    const { startupMs = 0 } = await run('1', 30_000);
    // Too short for a start, but more than enough for the program alone.
    const timeoutMs = Math.floor(startupMs / 2);
    const result = await run('1 + 1', timeoutMs);
    expect(result).toMatchObject({ status: 'succeeded', value: 2 });
    expect(result.startupMs).toBeGreaterThan(timeoutMs);
    expect(result.durationMs).toBeLessThan(timeoutMs);
    expect(await run('while True: pass', timeoutMs)).toMatchObject({ status: 'timed_out' });
  } finally {
    await sandbox.close();
  }
});
