import { describe, expect, test } from '@jest/globals';

import { ownershipProblem } from './ownership.js';

const [own, other, shared] = [1000, 1001, 100];
const user = { uid: own, gid: own };
const foreign = 'belongs to another user; make it your own with chown';
const everyUser = 'can be written by every user; change that with chmod o-w';
const group = 'can be written by other users of its group; change that with chmod g-w';

describe('ownershipProblem', () => {
  test.each([
    [own, own, 0o600, undefined, undefined],
    [own, own, 0o664, undefined, group],
    [own, 0, 0o664, undefined, group],
    [own, shared, 0o644, undefined, undefined],
    [own, shared, 0o664, group, group],
    [own, other, 0o620, group, group],
    [0, 0, 0o644, undefined, foreign],
    [own, own, 0o602, everyUser, everyUser],
    [0, 0, 0o666, everyUser, foreign],
    [other, other, 0o600, foreign, foreign],
  ])(
    'with uid %i, gid %i and mode %o, reports %j for the operator and %j for the owner',
    (uid, gid, mode, ...both) => {
      const problems = (['operator', 'owner'] as const).map((writers) =>
        ownershipProblem({ uid, gid, mode }, writers, user),
      );
      expect(problems).toEqual(both);
      expect(ownershipProblem({ uid, gid, mode }, 'anybody', user)).toBeUndefined();
    },
  );

  test('does not trust a primary group that all users share', () => {
    const ownership = { uid: own, gid: shared, mode: 0o664 };
    expect(ownershipProblem(ownership, 'operator', { uid: own, gid: shared })).toBe(group);
  });
});
