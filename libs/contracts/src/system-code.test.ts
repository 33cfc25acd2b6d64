import { expect, test } from '@jest/globals';

import { systemCodeOf } from './system-code.js';

test.each([
  [Object.assign(new Error('no such file'), { code: 'ENOENT' }), 'ENOENT'],
  [{ code: 'EACCES' }, 'EACCES'],
  [new Error('ENOENT'), undefined],
  [{ code: 5 }, undefined],
  ['ENOENT', undefined],
  [null, undefined],
  [undefined, undefined],
])('reads the code of %p as %p', (error, code) => {
  expect(systemCodeOf(error)).toBe(code);
});
