import { describe, expect, test } from '@jest/globals';

import { identifierOf, identifiersOf, type IdentifierStyle } from './identifier.js';

describe('identifierOf', () => {
  test.each<[string, string, string, string]>([
    ['create_issue', 'createIssue', 'create_issue', 'CreateIssue'],
    ['create-issue', 'createIssue', 'create_issue', 'CreateIssue'],
    ['createIssue', 'createIssue', 'create_issue', 'CreateIssue'],
    ['API-post-search', 'apiPostSearch', 'api_post_search', 'ApiPostSearch'],
    ['getURL', 'getURL', 'get_url', 'GetUrl'],
    ['HTTPServer2Go', 'httpServer2Go', 'http_server2_go', 'HTTPServer2Go'],
    ['a.b/c d', 'aBCD', 'a_b_c_d', 'ABCD'],
    ['2fa', '_2fa', '_2fa', '_2fa'],
    ['delete', 'delete_', 'delete', 'Delete'],
    ['list', 'list', 'list_', 'List'],
    ['then', 'then_', 'then', 'Then'],
    ['constructor', 'constructor_', 'constructor', 'Constructor'],
    ['__proto__', 'proto', 'proto', 'Proto'],
    ['näme ✓', 'näme', 'näme', 'Näme'],
    ['搜索', '搜索', '搜索', '搜索'],
    ['𝐛old', 'bold', 'bold', 'Bold'],
    ['İstanbul', 'istanbul', 'istanbul', 'Istanbul'],
    ['', 'unnamed', 'unnamed', 'unnamed'],
    ['✓ 𐐀', 'unnamed', 'unnamed', 'unnamed'],
    ['aⸯb', 'aB', 'a_b', 'AB'],
    ['none', 'none', 'none', 'None_'],
  ])('converts %j in each style', (name, camel, snake, pascal) => {
    const styles: IdentifierStyle[] = ['camelCase', 'snake_case', 'PascalCase'];
    expect(styles.map((style) => identifierOf(name, style))).toEqual([camel, snake, pascal]);
  });

  test('is at most 80 characters long', () => {
    expect(identifierOf('a'.repeat(10_000), 'camelCase')).toHaveLength(80);
    expect(identifierOf('-'.repeat(1_000_000), 'snake_case')).toBe('unnamed');
  });
});

test.each(['\u2e2f', '\ua7da', '\u1c89', '\u088f'])(
  'removes %j, a letter that not all languages know',
  (letter) => {
    expect(identifierOf(letter, 'snake_case')).toBe('unnamed');
    expect(identifierOf(`a${letter}b`, 'camelCase')).toBe('aB');
  },
);

test('removes characters that a change of case turns into something other than letters', () => {
  expect(identifierOf('a \u019bx', 'camelCase')).not.toContain('\ua7dc');
});

describe('identifiersOf', () => {
  test.each<[IdentifierStyle, string[]]>([
    ['camelCase', ['aB2', 'aB4', 'aB', 'aB3']],
    ['snake_case', ['a_b_2', 'a_b', 'a_b_4', 'a_b_3']],
  ])('assigns each name a unique identifier, independent of the order (%s)', (style, expected) => {
    const names = ['a-b', 'a_b', 'aB', 'a.b'];
    const found = identifiersOf(names, style);
    expect(names.map((name) => found.get(name))).toEqual(expected);
    expect(identifiersOf([...names].reverse(), style)).toEqual(found);
  });

  test('does not use an identifier that is another name', () => {
    expect([...identifiersOf(['a-b', 'a.b', 'aB', 'aB2'], 'camelCase').values()].sort()).toEqual([
      'aB',
      'aB2',
      'aB3',
      'aB4',
    ]);
  });

  test('assigns different identifiers to 10,000 similar names', () => {
    const names = Array.from(
      { length: 10_000 },
      (_, n) => 'a' + '-'.repeat(n % 300) + '.'.repeat(n / 300) + 'b',
    );
    expect(new Set(identifiersOf(names, 'camelCase').values()).size).toBe(new Set(names).size);
  });
});
