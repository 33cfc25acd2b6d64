import { afterEach, describe, expect, test } from '@jest/globals';

import { download } from './download.js';

const realFetch = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = realFetch;
});

/**
 * The address at which a download ends if each address redirects to the next. `fetch` is replaced because the tests have
 * no certificate to serve https with.
 */
async function lastOf(...addresses: string[]): Promise<string | undefined> {
  globalThis.fetch = (input) => {
    const address = input instanceof URL ? input.href : '';
    const next = addresses[addresses.indexOf(address) + 1];
    const redirect = { status: 302, headers: next === undefined ? [] : [['location', next]] } as const;
    return Promise.resolve(
      next === undefined ? new Response('x') : new Response(null, redirect as ResponseInit),
    );
  };
  const { signal } = new AbortController();
  const options = { maxBytes: 10, timeoutMs: 10_000, signal, headersFor: () => ({}) };
  return (await download(new URL(addresses[0] ?? ''), options))?.url.href;
}

describe('download', () => {
  test.each([
    ['https://a.example/x', 'https://b.example/x'],
    ['http://a.example/x', 'https://b.example/x'],
    ['http://a.example/x', 'http://b.example/x'],
  ])('follows a redirect from %s to %s', async (from, to) => {
    expect(await lastOf(from, to)).toBe(to);
  });

  test.each([
    ['https://a.example/x', 'http://a.example/x'],
    ['http://a.example/x', 'https://b.example/x', 'http://b.example/x'],
    ['http://a.example/x', 'data:text/plain,x'],
    ['https://a.example/x', 'file:///etc/passwd'],
  ])('does not follow a redirect from %s to %s', async (...addresses) => {
    await expect(lastOf(...addresses)).rejects.toMatchObject({
      code: 'permission_denied',
      message: expect.stringContaining('redirects to an address that is not followed'),
    });
  });
});
