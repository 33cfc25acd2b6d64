import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkOf } from './jest-results.mjs';

const green = { name: 'a:test', passed: 1, failed: 0 };
const red = { name: 'a:test', passed: 0, failed: 1, detail: 'Jest did not exit' };
const results = (tests, extra = {}) =>
  JSON.stringify({
    success: tests.every(([, status]) => status === 'passed'),
    numPassedTests: tests.filter(([, status]) => status === 'passed').length,
    testResults: [
      {
        name: 'a.test.ts',
        message: '',
        assertionResults: tests.map(([fullName, status]) => ({
          fullName,
          status,
          failureMessages: status === 'failed' ? ['expected 1'] : [],
        })),
        ...extra,
      },
    ],
  });

test('counts the tests of a project', () => {
  const check = checkOf('a:test', results(['x', 'y'].map((name) => [name, 'passed'])), green);
  assert.deepEqual([check.passed, check.failed], [2, 0]);
});

test('names each test that failed, with its message', () => {
  const tests = [
    ['x', 'passed'],
    ['y breaks', 'failed'],
  ];
  const check = checkOf('a:test', results(tests), red);
  assert.deepEqual([check.passed, check.failed], [1, 1]);
  assert.match(check.detail, /y breaks[^]*expected 1/);
});

test('counts skipped and unwritten tests as failed', () => {
  const tests = [
    ['x', 'pending'],
    ['y', 'todo'],
  ];
  assert.equal(checkOf('a:test', results(tests), green).failed, 2);
});

test('counts a file that could not be loaded', () => {
  const check = checkOf('a:test', results([], { message: 'Cannot find module' }), red);
  assert.equal(check.failed, 1);
  assert.match(check.detail, /Cannot find module/);
});

test('counts a failure if the results passed but the task failed or is missing', () => {
  for (const task of [red, undefined]) {
    assert.equal(checkOf('a:test', results([['x', 'passed']]), task).failed, 1);
  }
});

test('counts a missing file as failed', () => {
  assert.deepEqual(checkOf('a:test', undefined, green).failed, 1);
});
