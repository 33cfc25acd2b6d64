import { describe, expect, test } from '@jest/globals';

import { presenter, withoutFolders } from './presentable.js';

describe('presenter', () => {
  test('blanks the values of env, headers and url that may be secrets', () => {
    const stdio = presenter({
      command: 'x',
      env: { TOKEN: 'abcdefgh', LONGER: 'abcdefgh-and-more', FLAG: 'on' },
    });
    expect(stdio('on abcdefgh-and-more, abcdefgh')).toBe('on ***, ***');
    const http = presenter({
      url: 'https://me:pass-word@example.org/x?key=12345678',
      headers: { authorization: 'Bearer t0ken-t0ken' },
    });
    expect(http('got t0ken-t0ken / Bearer t0ken-t0ken, pass-word, 12345678')).toBe('got *** / ***, ***, ***');
    expect(presenter({ url: 'not a url, maybe a secret' })('no: not a url, maybe a secret')).toBe('no: ***');
  });

  test('makes one bounded line without terminal codes', () => {
    const present = presenter({ command: 'x' });
    expect(present(' \u001b[31mred\u001b[0m\n\tand\u0007 more\r\n')).toBe('red and more');
    expect(present('x'.repeat(1_000_000))).toBe(`${'x'.repeat(299)}…`);
    expect(present('abcdef', 4)).toBe('abc…');
  });
});

test('withoutFolders leaves file names only', () => {
  expect(
    withoutFolders('at run (/home/me/app/main.js:3:7) and "C:\\Users\\me\\a.txt", file:///x/y.mjs'),
  ).toBe('at run (…/main.js:3:7) and "…/a.txt", …/y.mjs');
  expect(withoutFolders('1/2 of a/b, and / alone')).toBe('1/2 of a/b, and / alone');
});
