import { describe, expect, test } from '@jest/globals';

import { bodyPrefix, showProgramOnly, startMark } from './program-text.js';

describe('showProgramOnly', () => {
  test('does not change text that is not about a program', () => {
    expect(showProgramOnly('a\n  b\n')).toBe('a\n  b\n');
  });

  test('replaces the URL by a name, and corrects columns', () => {
    const url = 'blob:null/1c392b0f-4204-401b-8d37-0123456789ab';
    expect(showProgramOnly(`at ${url}:1:${bodyPrefix.length + 3}, at ${url}:2:7`)).toBe(
      'at program.ts:1:3, at program.ts:2:7',
    );
  });

  test.each([
    ['module', `${startMark}();`.padEnd(bodyPrefix.length)],
    ['body', bodyPrefix],
  ])('takes away what was put before a program that is quoted as a %s', (_, before) => {
    const indent = ' '.repeat(bodyPrefix.length);
    expect(showProgramOnly(`bad\n\n  ${before}  const = ;\n  ${indent}        ~\nend`)).toBe(
      'bad\n\n    const = ;\n          ~\nend',
    );
    expect(showProgramOnly(` |\n |${before}x\n |${indent}^`)).toBe(' |\n |x\n |^');
  });

  test.each([
    ['marks and blanks', `${startMark}(); `.repeat(20_000)],
    ['a mark and many blanks', `${startMark}();${' '.repeat(1_000_000)}`],
    ['blanks under a mark', `${startMark}();\n${' '.repeat(1_000_000)}`],
    ['bars under a mark', `${startMark}();\n${' |'.repeat(500_000)}`],
  ])('is done with %s before a reader of the code is', (_, text) => {
    // A pattern that backtracks would block the server for minutes here.
    expect(showProgramOnly(text).length).toBeLessThanOrEqual(text.length);
  });
});
