import { isolationsUnderTest } from '@code-executor/contracts/testing';
import { afterAll, beforeAll, describe, test } from '@jest/globals';

import { checkAftermath } from './arena/aftermath.js';
import type { Arena } from './arena/arena.js';
import type { Attack } from './arena/attack.js';
import type { ProgramAttack } from './arena/program-attack.js';
import { StdioArena } from './arena/stdio-arena.js';

/** Defines one test for each attack, all on one server; `where` is part of their names. */
export function defineAttackTests<A extends Arena>(
  attacks: readonly Attack<A>[],
  where: string,
  start: () => Promise<A>,
): void {
  describe(`attacks (${where})`, () => {
    let arena: A;
    beforeAll(async () => {
      arena = await start();
    });
    afterAll(() => arena.close());

    test.each(attacks)(`$id $what (${where})`, async ({ attack }) => {
      await attack(arena);
      await checkAftermath(arena);
    });
  });
}

/** Defines the same tests on a server in each isolation mode. */
export function defineProgramAttackTests(attacks: readonly ProgramAttack[]): void {
  for (const mode of isolationsUnderTest()) {
    const applicable = attacks.filter(({ notApplicable }) => notApplicable?.[mode] === undefined);
    defineAttackTests(applicable, mode, () => StdioArena.start(mode));
  }
}
