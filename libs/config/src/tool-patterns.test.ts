import { describe, expect, test } from '@jest/globals';

import {
  problemInAskedPattern,
  problemInOwnToolPattern,
  problemInServerRule,
  problemInToolPattern,
} from './tool-patterns.js';

describe('a pattern in the rules of server a', () => {
  test.each([
    'slow',
    '*',
    'del*',
    '*__x',
    'mcp_x',
    'mcp__a__slow',
    'mcp__a__*',
    'mcp__*__slow',
    'mcp__*',
    'mcp__a*',
  ])('%s may match one of its tools', (pattern) => expect(problemInServerRule('a', pattern)).toBeUndefined());

  test.each([
    ['mcp__b__slow', '"slow" or "mcp__a__slow"'],
    ['mcp__ab__*', '"*" or "mcp__a__*"'],
    ['mcp__a', '"a" or "mcp__a__a"'],
    ['mcp__a__', 'the own names of its tools'],
    ['mcp__b*', '"b*" or "mcp__a__b*"'],
  ])('%s can match none', (pattern, names) => {
    expect(problemInServerRule('a', pattern)).toBe(
      `is "${pattern}", which no tool of server a can match; write ${names}`,
    );
  });
});

describe('a pattern of full names', () => {
  test.each(['*', 'mcp__*', 'm*', '*__read', 'mcp__a__b', 'mcp__a__b__c', 'mcp__*__read', 'github'])(
    '%s may match a tool',
    (pattern) => expect(problemInToolPattern(pattern)).toBeUndefined(),
  );

  test.each(['mcp__github', 'mcp__github__', 'github__*', 'github__read', 'MCP__a__*', 'x*'])(
    '%s can match none',
    (pattern) => {
      expect(problemInToolPattern(pattern)).toContain(`is "${pattern}", which no tool can match; full names`);
    },
  );
});

describe('a pattern of full names and own tools', () => {
  test.each(['executePython', 'execute*', '*', 'github', 'mcp__a__*', '*__remove'])(
    '%s may match',
    (pattern) => expect(problemInAskedPattern(pattern)).toBeUndefined(),
  );

  test.each(['executeTypeScript', 'executeTypescrpt', 'health', 'getExecution'])(
    '%s is no name of a server',
    (pattern) => expect(problemInAskedPattern(pattern)).toContain('none of executeTypescript, executePython'),
  );

  test('github__read can match none', () => {
    expect(problemInAskedPattern('github__read')).toContain('which no tool can match');
  });
});

describe('a pattern of own tools', () => {
  test.each(['executeTypescript', 'executePython', 'execute*', '*'])('%s may match one', (pattern) =>
    expect(problemInOwnToolPattern(pattern)).toBeUndefined(),
  );

  test.each(['executeTypeScript', 'health', 'mcp__a__*', 'typescript'])('%s can match none', (pattern) =>
    expect(problemInOwnToolPattern(pattern)).toBe(
      `is "${pattern}", which none of executeTypescript, executePython matches; tools of servers are in policy.servers.<name>.ask`,
    ),
  );
});
