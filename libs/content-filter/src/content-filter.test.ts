import { CodeExecutorError } from '@code-executor/contracts';
import { describe, expect, test } from '@jest/globals';

import { createContentFilter } from './index.js';
import { negatives, positives } from './labelled-texts.test.support.js';

const filter = createContentFilter();
const textOf = (pattern: string): string => {
  const positive = positives.find((each) => each.pattern === pattern);
  return positive ? positive.before + positive.found + positive.after : '';
};
const mixed = ['openai_key', 'github_token', 'openai_key', 'email'].map(textOf).join('\n');

describe('a content filter', () => {
  test('counts what it finds, by pattern', () => {
    expect(filter.scan(mixed).violations).toEqual([
      { kind: 'secret', pattern: 'openai_key', count: 2 },
      { kind: 'secret', pattern: 'github_token', count: 1 },
      { kind: 'personal', pattern: 'email', count: 1 },
    ]);
  });

  test('redacts, and leaves everything else as it is', () => {
    const shown = 'value: [REDACTED_SECRET] end';
    expect(filter.filter(mixed)).toBe(`${shown}\n${shown}\n${shown}\nwrite to <[REDACTED_PII]>`);
  });

  test('rejects with kinds, names and counts, and without the text', () => {
    let reason: unknown;
    try {
      filter.filter(mixed, true);
    } catch (error) {
      reason = error;
    }
    expect(CodeExecutorError.is(reason)).toBe(true);
    expect(reason).toMatchObject({
      code: 'permission_denied',
      message:
        'The content filter found 3 secrets (openai_key: 2, github_token: 1) and 1 item of personal data (email: 1); remove them from the text.',
    });
  });

  test('does not reject a text without violations', () => {
    expect(negatives.map((text) => filter.filter(text, true))).toEqual(negatives);
  });

  test('says whether there is anything', () => {
    expect([mixed, 'plain text', ''].map((text) => filter.hasViolations(text))).toEqual([true, false, false]);
  });

  test('looks only for the kinds that it is asked for', () => {
    const secrets = createContentFilter({ kinds: ['secret'] });
    expect(secrets.filter(textOf('email'))).toBe(textOf('email'));
    expect(secrets.getSupportedPatterns().every(({ kind }) => kind === 'secret')).toBe(true);
    expect(createContentFilter({ kinds: [] }).filter(mixed)).toBe(mixed);
  });

  test('lists each pattern once', () => {
    const names = filter.getSupportedPatterns().map(({ pattern }) => pattern);
    expect(new Set(names).size).toBe(names.length);
    expect(filter.getSupportedPatterns()).toContainEqual({
      pattern: 'payment_card',
      kind: 'personal',
      finds: 'numbers of payment cards, with their check digit',
    });
  });

  test('counts a known token in a header under its own name', () => {
    const key = positives.find(({ pattern }) => pattern === 'github_token')?.found ?? '';
    expect(filter.scan(`Authorization: Bearer ${key}`)).toEqual({
      violations: [{ kind: 'secret', pattern: 'github_token', count: 1 }],
      filtered: 'Authorization: Bearer [REDACTED_SECRET]',
    });
  });

  test('finds what stands next to other matches', () => {
    const both = positives.map(({ before, found, after }) => before + found + after).join(' ');
    const counted = filter.scan(both).violations.reduce((sum, { count }) => sum + count, 0);
    expect(counted).toBe(positives.length);
  });

  test.each([
    ['a long word', `${'a'.repeat(50_000)}!`],
    ['dots between letters', 'a.'.repeat(50_000)],
    ['prefixes of keys', 'sk-'.repeat(30_000)],
    ['beginnings of tokens', 'eyJ.'.repeat(30_000)],
    ['headers of keys', '-----BEGIN PRIVATE KEY-----\n'.repeat(5000)],
    ['schemes of addresses', '://a:'.repeat(20_000)],
    ['groups of digits', '4111 '.repeat(20_000)],
    ['10 MB', 'The quick brown fox. '.repeat(500_000)],
  ])('leaves %s as it is', (_what, text) => {
    expect(filter.filter(text) === text).toBe(true);
  });

  test('drops a token of 1 MB, and goes on after it', () => {
    expect(filter.filter(`${textOf('openai_key').slice(0, -4)}${'a1'.repeat(500_000)} end`)).toBe(
      'value: [REDACTED_SECRET] end',
    );
  });

  test('drops a private key without an END line up to the next quote', () => {
    const key = positives.find(({ pattern }) => pattern === 'private_key')?.found ?? '';
    expect(filter.filter(`{"key":"${key.slice(0, 120)}", "a": 1}`)).toBe(
      '{"key":"[REDACTED_SECRET]", "a": 1}',
    );
  });
});
