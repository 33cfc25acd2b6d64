import { expect, test } from '@jest/globals';

import { readVersion } from './version.js';

test('readVersion reads the version of this package', () => {
  expect(readVersion()).toMatch(/^\d+\.\d+\.\d+/);
});
