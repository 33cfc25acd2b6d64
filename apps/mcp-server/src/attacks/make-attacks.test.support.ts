import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { isolationsUnderTest } from '@code-executor/contracts/testing';

import { checkAftermath } from './aftermath.js';
import { Arena } from './arena.js';
import type { Attack } from './attack.js';

/** One test for each attack and isolation mode, all on one server a mode. */
export function makeAttacks(attacks: readonly Attack[]): void {
  describe.each(isolationsUnderTest())('attacks (%s)', (mode) => {
    let server: Arena;
    beforeAll(async () => {
      server = await Arena.start(mode);
    });
    afterAll(() => server.close());

    const applicable = attacks.filter(({ notApplicable }) => notApplicable?.[mode] === undefined);
    test.each(applicable)(`$id $what (${mode})`, async ({ attack }) => {
      await attack(server);
      await checkAftermath(server);
    });
  });
}
