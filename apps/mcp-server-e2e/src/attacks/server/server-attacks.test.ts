import { describe, test } from '@jest/globals';

import { serverAttacks } from './server-attacks.js';

describe('attacks on the start and the environment of the server', () => {
  test.each(serverAttacks)('$id $what (server)', ({ attack }) => attack());
});
