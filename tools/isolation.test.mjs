import assert from 'node:assert/strict';
import { test } from 'node:test';

import { planIsolation } from './isolation.mjs';

const missing = 'bubblewrap is not installed; apt-get install bubblewrap';

test('both modes run where both can', () => {
  const plan = planIsolation({ isCi: true });
  assert.deepEqual(plan, { modes: ['strict', 'portable'], notRun: [], isFailure: false });
});

test('a missing bubblewrap is named, and is a failure only under CI', () => {
  for (const isCi of [false, true]) {
    const plan = planIsolation({ strictProblem: missing, isCi });
    assert.deepEqual(plan, {
      modes: ['portable'],
      notRun: [`strict isolation: ${missing}`],
      isFailure: isCi,
    });
  }
});

test('one mode on request leaves the other out, also under CI', () => {
  for (const [requested, other] of [
    ['strict', 'portable'],
    ['portable', 'strict'],
  ]) {
    const plan = planIsolation({ requested, isCi: true });
    assert.deepEqual(plan.modes, [requested]);
    assert.equal(plan.isFailure, false);
    assert.match(plan.notRun[0], new RegExp(`^${other} isolation`));
  }
});

test('strict on request fails where it cannot work, portable does not care', () => {
  const strict = planIsolation({ requested: 'strict', strictProblem: missing, isCi: false });
  assert.deepEqual(strict, { modes: [], notRun: [`strict isolation: ${missing}`], isFailure: true });
  const portable = planIsolation({ requested: 'portable', strictProblem: missing, isCi: true });
  assert.equal(portable.isFailure, false);
});

test('another word is refused by name', () => {
  assert.throws(() => planIsolation({ requested: 'docker' }), /strict or portable, not "docker"/);
});
