import { expect, test } from '@jest/globals';

import { describeSandbox, isolationsUnderTest } from '@code-executor/contracts/testing';

import { PyodideSandbox } from './pyodide-sandbox.js';
import { snapshotDir } from './snapshot-dir.test.support.js';

for (const isolation of isolationsUnderTest()) {
  describeSandbox(`PyodideSandbox (${isolation})`, () =>
    Promise.resolve(new PyodideSandbox({ isolation, snapshotDir: snapshotDir() })),
  );
}

test('A PyodideSandbox refuses less memory than Python can do with', () => {
  expect(() => new PyodideSandbox({ memoryMb: 255 })).toThrow(
    'Python needs a memoryMb of 256 or more, not 255.',
  );
});
