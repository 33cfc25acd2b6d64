import { describe, expect, test } from '@jest/globals';

import type { LoginLink } from '../../tool.js';
import { loginLinks } from './login-links.js';

/** What came of the first of two offers, and the links that were shown. */
async function offerTwice(url: string) {
  const shown: LoginLink[] = [];
  let begun = 0;
  const offer = loginLinks(
    () => Promise.resolve({ url, finished: Promise.resolve(++begun) }),
    (link) => void shown.push(link),
  );
  const [isOffered] = await Promise.all([offer('remote'), offer('remote')]);
  return { isOffered, begun, shown: shown.map(({ server, url: address }) => [server, address]) };
}

describe('a link to log in', () => {
  test.each([
    'https://login.example/authorize?a=b',
    'http://127.0.0.1:81/a',
    'http://[::1]/',
    'http://localhost/',
  ])('is shown once: %s', async (url) => {
    expect(await offerTwice(url)).toEqual({ isOffered: true, begun: 1, shown: [['remote', url]] });
  });

  test.each([
    'http://login.example/',
    'http://localhost.example/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://github.com@login.example/',
    `https://login.example/${'x'.repeat(8200)}`,
    'no address',
  ])('is not shown: %.40s', async (url) => {
    expect(await offerTwice(url)).toEqual({ isOffered: false, begun: 1, shown: [] });
  });
});
