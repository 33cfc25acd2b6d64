import assert from 'node:assert/strict';
import { test } from 'node:test';

import { planIsolation } from './isolation.mjs';

const missing = 'bubblewrap is not installed; apt-get install bubblewrap';

test('runs both modes if both work', () => {
  const plan = planIsolation({ isCi: true });
  assert.deepEqual(plan, { modes: ['strict', 'portable'], notRun: [], isFailure: false });
});

test('reports a missing bubblewrap, as a failure only under CI', () => {
  for (const isCi of [false, true]) {
    const plan = planIsolation({ strictProblem: missing, isCi });
    assert.deepEqual(plan, {
      modes: ['portable'],
      notRun: [`strict isolation: ${missing}`],
      isFailure: isCi,
    });
  }
});

test('runs only the requested mode, also under CI', () => {
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

test('fails if strict is requested and cannot work, but not if portable is', () => {
  const strict = planIsolation({ requested: 'strict', strictProblem: missing, isCi: false });
  assert.deepEqual(strict, { modes: [], notRun: [`strict isolation: ${missing}`], isFailure: true });
  const portable = planIsolation({ requested: 'portable', strictProblem: missing, isCi: true });
  assert.equal(portable.isFailure, false);
});

test('refuses an unknown mode, with its name', () => {
  assert.throws(() => planIsolation({ requested: 'docker' }), /strict or portable, not "docker"/);
});
