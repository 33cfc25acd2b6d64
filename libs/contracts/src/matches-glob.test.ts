import { describe, expect, test } from '@jest/globals';

import { matchesGlob } from './matches-glob.js';

describe('matchesGlob', () => {
  test.each([
    ['*', ''],
    ['*', 'anything at all'],
    ['mcp__fs__*', 'mcp__fs__'],
    ['mcp__fs__*', 'mcp__fs__read'],
    ['*read*', 'mcp__fs__read_file'],
    ['a*b*c', 'a-b-b-c'],
    ['**a', 'ba'],
    ['a*a', 'aa'],
    ['*ab', 'aab'],
    ['a.c', 'a.c'],
    ['', ''],
  ])('%j matches %j', (pattern, text) => {
    expect(matchesGlob(pattern, text)).toBe(true);
  });

  test.each([
    ['', 'a'],
    ['a', ''],
    ['mcp__fs__*', 'mcp__fs_read'],
    ['a*a', 'a'],
    ['a.c', 'abc'],
    ['a?c', 'abc'],
    ['[ab]', 'a'],
    ['a*b', 'abc'],
    ['A*', 'abc'],
  ])('%j does not match %j', (pattern, text) => {
    expect(matchesGlob(pattern, text)).toBe(false);
  });

  test('is fast for a pattern that would make a regular expression backtrack', () => {
    expect(matchesGlob(`${'*a'.repeat(100)}b`, 'a'.repeat(256))).toBe(false);
  });
});
