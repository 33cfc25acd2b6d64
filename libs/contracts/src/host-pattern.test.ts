import { describe, expect, test } from '@jest/globals';

import { HostPattern } from './host-pattern.js';

describe('an entry', () => {
  test.each([
    'example.com',
    'EXAMPLE.com',
    'münchen.example',
    'हिन्दी.example',
    '_dmarc.example.com',
    'localhost',
    'example.com:1',
    'example.com:65535',
    `*.${'a'.repeat(63)}.example`,
    '*.example.com',
    '*.bücher.example:8443',
    '8.8.8.8:53',
    '::1',
    '2001:DB8::1',
    '::ffff:8.8.8.8',
    '[::1]',
    '[::1]:8080',
  ])('%s names hosts', (text) => {
    expect(HostPattern.parse(text)).toBeDefined();
    expect(HostPattern.parseCeiling(text)).toBeDefined();
  });

  test.each([
    '',
    '*.',
    '*.*',
    'a.*.com',
    '**.example.com',
    '*.[::1]',
    '[]',
    '[::g]',
    '[::1',
    '::1::1',
    '[::1]x',
    'example.com:',
    'example.com:0',
    'example.com:65536',
    'example.com:123456',
    'example.com:8a',
    'https://example.com',
    'example.com/',
    'user@example.com',
    'example.com#',
    'example.com?',
    'ex ample.com',
    ' example.com',
    'example.com\n',
    '%65xample.com',
    'example.com\\a',
    '*:0',
    `${'a'.repeat(64)}.example`,
    `${'例'.repeat(64)}.example`,
    `${'a.'.repeat(150)}example`,
  ])('%j names none', (text) => {
    expect(HostPattern.parse(text)).toBeUndefined();
    expect(HostPattern.parseCeiling(text)).toBeUndefined();
  });

  test.each(['*', '*:8443'])('%s names all hosts, but only as a ceiling', (text) => {
    expect(HostPattern.parse(text)).toBeUndefined();
    expect(HostPattern.parseCeiling(text)).toBeDefined();
  });
});

test.each([
  ['example.com', 'https://example.com/', true],
  ['example.com', 'http://example.com:80/', true],
  ['EXAMPLE.com', 'https://example.COM/', true],
  ['example.com', 'https://example.com:8443/', false],
  ['example.com', 'http://example.com:443/', false],
  ['example.com', 'https://example.com./', false],
  ['example.com', 'https://a.example.com/', false],
  ['example.com', 'https://example.com.evil.org/', false],
  ['example.com:443', 'https://example.com/', true],
  ['example.com:443', 'http://example.com/', false],
  ['example.com:8443', 'https://example.com:8443/', true],
  ['münchen.example', 'https://xn--mnchen-3ya.example/', true],
  ['xn--mnchen-3ya.example', 'https://MÜNCHEN.example/', true],
  ['example.com', 'https://exаmple.com/', false],
  ['*.example.com', 'https://a.b.example.com/', true],
  ['*.example.com', 'https://example.com/', false],
  ['*.example.com', 'https://.example.com/', false],
  ['*.example.com', 'https://evilexample.com/', false],
  ['*.example.com:81', 'http://a.example.com:81/', true],
  ['*.example.com', 'http://a.example.com:81/', false],
  ['*.8.8.8', 'http://8.8.8.8/', false],
  ['8.8.8.8', 'http://0x8.010.8.8/', true],
  ['::1', 'http://[0:0:0:0:0:0:0:1]/', true],
  ['[::1]', 'http://[::1]/', true],
  ['::1', 'http://[::1]:8080/', false],
  ['[::1]:8080', 'http://[::1]:8080/', true],
  ['*', 'https://example.com/', true],
  ['*', 'https://example.com:8443/', false],
  ['*:8443', 'https://[::1]:8443/', true],
])('%s matches %s: %s', (text, url, isMatch) => {
  expect(HostPattern.parseCeiling(text)?.matches(new URL(url))).toBe(isMatch);
});

test.each([
  ['api.example.com', 'api.example.com', true],
  ['API.Example.com', 'api.example.com', true],
  ['xn--mnchen-3ya.example', 'münchen.example', true],
  ['api.example.com:8443', 'api.example.com', false],
  ['api.example.com:8443', 'api.example.com:8443', true],
  ['api.example.com', 'api.example.com:8443', false],
  ['api.example.com', 'api.example.com:443', false],
  ['example.com.evil.org', 'example.com', false],
  ['a.b.example.com', '*.example.com', true],
  ['*.example.com', '*.example.com', true],
  ['*.b.example.com', '*.example.com', true],
  ['*.example.com', '*.b.example.com', false],
  ['*.example.com', 'a.example.com', false],
  ['a.example.com:80', '*.example.com:80', true],
  ['example.com', '*.example.com', false],
  ['.example.com', '*.example.com', false],
  ['badexample.com', '*.example.com', false],
  ['example.com', '*', true],
  ['*.example.com', '*', true],
  ['::1', '*', true],
  ['*', '*', true],
  ['*', '*.example.com', false],
  ['example.com:1', '*', false],
  ['example.com:1', '*:1', true],
  ['::1', '[::1]', true],
  ['[::1]', '::1', true],
  ['[0:0::1]:8080', '[::1]:8080', true],
  ['::1', ':1', undefined],
])('%s is within %s: %s', (text, ceilingText, isWithin) => {
  const ceiling = HostPattern.parseCeiling(ceilingText);
  expect(ceiling && HostPattern.parseCeiling(text)?.isWithin(ceiling)).toBe(isWithin);
});
