import { describeSandbox, isolationsUnderTest } from '@code-executor/contracts/testing';

import { DenoSandbox } from './deno-sandbox.js';

for (const isolation of isolationsUnderTest()) {
  describeSandbox(`DenoSandbox (${isolation})`, () => Promise.resolve(new DenoSandbox({ isolation })));
}
