import { describe, expect, jest, test } from '@jest/globals';
import type { JsonObject } from '@code-executor/contracts';
import type { Question } from '@code-executor/executor';

import { answersFrom, formFor } from './question-form.js';

const question = (count: number, args: Record<string, string> = {}): Question => ({
  id: 'q1',
  executionId: 'exec_1',
  calls: Array.from({ length: count }, (_, index) => ({
    key: `c${index + 1}`,
    toolName: 'mcp__files__remove',
    why: 'policy.ask',
    args,
  })),
});

describe('formFor', () => {
  test('cuts arguments, and says how much is left out', () => {
    const { message } = formFor(question(1, { text: 'x'.repeat(9000) }));
    expect(message).toMatch(/arguments: \{"text":"x{7959}… \(1041 more characters\)"\}$/);
  });

  test('cuts long texts one by one, so that none of them hides what follows it', () => {
    const { message } = formFor(
      question(32, { note: 'x'.repeat(9000), path: '/etc/passwd', other: 'y'.repeat(9000) }),
    );
    const shown = `arguments: {"note":"x{73}… \\(8927 more characters\\)","path":"/etc/passwd`;
    expect(message).toMatch(new RegExp(`\n   ${shown}`));
  });

  test('cuts long lists one by one, too, and says before the arguments that not all is shown', () => {
    const hiding = { padding: Array<number>(9000).fill(1), path: '/etc/passwd' } as unknown as JsonObject;
    const { message } = formFor({
      ...question(1),
      calls: question(1).calls.map((call) => ({ ...call, args: hiding })),
    });
    expect(message).toMatch(
      /\n {3}not all is shown: the arguments have 18034 characters\n {3}arguments: \{"padding":\[1,.*… \(\d+ more characters\),"path":"\/etc\/passwd"\}$/,
    );
  });

  test('does not look at each value of very long arguments, which would hold up everybody', () => {
    const stringify = jest.spyOn(JSON, 'stringify');
    const args = { path: '/etc/passwd', list: Array<number>(200_000).fill(1) } as unknown as JsonObject;
    const calls = question(1).calls.map((call) => ({ ...call, args }));
    const { message } = formFor({ ...question(1), calls });
    const visits = stringify.mock.calls.filter(([, replacer]) => replacer !== undefined).length;
    stringify.mockRestore();
    expect([visits, message.includes('arguments: {"path":"/etc/passwd","list":[1,1')]).toEqual([0, true]);
  });

  test('bounds the message of as many calls as one question can have', () => {
    const many = question(32, { text: 'x'.repeat(5000) });
    const calls = many.calls.map((call) => ({
      ...call,
      toolName: 'n'.repeat(5000),
      why: 'w'.repeat(5000),
    }));
    expect(formFor({ ...many, calls }).message.length).toBeLessThan(30_000);
  });

  test('shows nothing that could look like another question', () => {
    const { message } = formFor(
      question(1, { 'a\u202e\u0007': 'b\n\n2. safe', c: '\u2028\u3164\ufe0f\u2800' }),
    );
    expect(message).toContain('arguments: {"a�\\u0007":"b\\n\\n2. safe","c":"����"}');
  });
});

describe('answersFrom', () => {
  test.each([
    ['yes, once', { decision: 'once' }],
    ['yes, this tool for this run', { decision: 'run' }],
    ['yes, as often as said below', { decision: 'times', times: 3 }],
    ['no', { decision: 'denied' }],
    ['yes', { decision: 'cancelled' }],
    [true, { decision: 'cancelled' }],
    [undefined, { decision: 'cancelled' }],
  ])('takes %j as it is meant', (c1, answer) => {
    expect(answersFrom(question(1), { action: 'accept', content: { c1, times: 3 } })).toEqual({ c1: answer });
  });

  test.each([0, -1, 1.5, 1001, '3', null, undefined])('takes %j times as no answer', (times) => {
    const content = { c1: 'yes, as often as said below', times };
    expect(answersFrom(question(1), { action: 'accept', content })).toEqual({
      c1: { decision: 'cancelled' },
    });
  });

  test('takes a number for a tool once, however many of its calls wait', () => {
    const times = 'yes, as often as said below';
    const content = { c1: times, c2: 'yes, once', c3: times, times: 5 };
    expect(answersFrom(question(3), { action: 'accept', content })).toEqual({
      c1: { decision: 'times', times: 4 },
      c2: { decision: 'once' },
      c3: { decision: 'once' },
    });
  });

  test.each([[null], [[]], ['text'], [undefined], [Object.create({ c1: 'yes, once' })]])(
    'takes %j as content without answers',
    (content) => {
      expect(answersFrom(question(1), { action: 'accept', content })).toEqual({
        c1: { decision: 'cancelled' },
      });
    },
  );

  test('takes an action that nobody knows as a dismissed form', () => {
    const content = { c1: 'yes, once' };
    expect(answersFrom(question(1), { action: 'agree', content })).toEqual({ c1: { decision: 'cancelled' } });
  });
});
