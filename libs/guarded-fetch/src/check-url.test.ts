import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { errorOf, localNetwork } from './local-network.test.kit.js';

let local: Awaited<ReturnType<typeof localNetwork>>;
beforeAll(async () => {
  local = await localNetwork((_request, response) => response.end());
});
afterAll(() => local.close());

describe('allow', () => {
  test.each([
    ['http://example.com/', 'example.com'],
    ['http://example.com:80/', 'example.com'],
    ['http://example.com/', 'example.com:80'],
    ['http://example.com:8080/', 'example.com:8080'],
    ['http://EXAMPLE.com/', 'example.COM'],
    ['http://münchen.example/', 'MÜNCHEN.example'],
    ['http://xn--mnchen-3ya.example/', 'münchen.example'],
    ['http://ｅｘａｍｐｌｅ.com/', 'example.com'],
    ['http://a.example.com/', '*.example.com'],
    ['http://a.b.example.com/', '*.example.com'],
    ['http://a.example.com:81/', '*.EXAMPLE.com:81'],
    ['http://example.com:443/', 'example.com:443'],
  ])('%s is granted by %s', async (url, entry) => {
    expect((await local.fetch({ url }, ['other.example', entry])).status).toBe(200);
  });

  test.each([
    ['http://example.com/', 'example.org'],
    ['http://example.com:8080/', 'example.com'],
    ['http://example.com:443/', 'example.com'],
    ['https://example.com:80/', 'example.com'],
    ['https://example.com/', 'example.com:80'],
    ['http://example.com/', 'example.com:443'],
    ['http://example.com/', '*.example.com'],
    ['http://evilexample.com/', '*.example.com'],
    ['http://example.com.evil.org/', 'example.com'],
    ['http://example.com./', 'example.com'],
    ['http://exаmple.com/', 'example.com'],
    ['http://a.example.com:81/', '*.example.com'],
    ['http://8.8.8.8/', '*.8.8.8'],
    ['http://8.8.8.8/', '*.8'],
    ['http://example.com/', '*'],
    ['http://example.com/', '*.'],
    ['http://example.com/', ''],
    ['http://example.com/', 'http://example.com'],
    ['http://example.com/', 'example.com/'],
    ['http://example.com/', 'user@example.com'],
    ['http://example.com/', 'example.com#'],
    ['http://example.com/', 'example.com?'],
    ['http://example.com/', 'example.com:'],
    ['http://example.com/', 'example.com:080x'],
    ['http://example.com/', ' example.com'],
    ['http://a.example.com/', 'a.*.com'],
    ['http://example.com/', '%65xample.com:81'],
  ])('%s is not granted by %s', async (url, entry) => {
    expect((await errorOf(local.fetch({ url }, [entry]))).code).toBe('permission_denied');
  });

  test('grants nothing if it is empty', async () => {
    expect((await errorOf(local.fetch({ url: 'http://example.com/' }, []))).message).toBe(
      'Host example.com is not among those that this execution may reach (none); add it to permissions.net.',
    );
  });
});
