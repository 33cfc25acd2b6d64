import { afterAll, beforeAll, describe, test } from '@jest/globals';

import { Door } from './door.js';
import { checkDoorAftermath } from './door-aftermath.js';
import { httpAttacks } from './http-attacks.js';

describe('attacks on the HTTP door', () => {
  let door: Door;
  beforeAll(async () => {
    door = await Door.start();
  });
  afterAll(() => door.close());

  test.each(httpAttacks)('$id $what (server)', async ({ attack }) => {
    await attack(door);
    await checkDoorAftermath(door);
  });
});
