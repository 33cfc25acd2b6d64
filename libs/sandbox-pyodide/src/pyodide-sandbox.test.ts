import { describeSandbox, isolationsUnderTest } from '@code-executor/contracts/testing';

import { PyodideSandbox } from './pyodide-sandbox.js';
import { snapshotDir } from './snapshot-dir.test.support.js';

for (const isolation of isolationsUnderTest()) {
  describeSandbox(`PyodideSandbox (${isolation})`, () =>
    Promise.resolve(new PyodideSandbox({ isolation, snapshotDir: snapshotDir() })),
  );
}
