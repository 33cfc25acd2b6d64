import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from '@jest/globals';

import { LoginFile, type LoginRecord } from './login-file.js';
import { withTokens } from './login-tokens.js';

const url = 'https://tools.example/mcp';
const issuer = 'https://login.example';
const tokens = { issuer, access_token: 'secret', token_type: 'Bearer' };
const record: LoginRecord = {
  version: 1,
  ...{ url, issuer, authorizationServerUrl: issuer, tokens, savedAt: 0 },
  client: { issuer, client_id: 'x' },
};

test('a login that is removed while it is renewed stays removed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'login-file-'));
  try {
    const file = new LoginFile(folder, url);
    await file.change(() => record);
    expect(await file.read()).toEqual(record);
    await file.change(async (before) => {
      expect(await file.remove()).toBe(true);
      return before;
    });
    expect(await file.read()).toBeUndefined();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each([
  [60, true],
  [Number.MAX_SAFE_INTEGER, false],
  [undefined, false],
])('a lifetime of %s seconds has an end that a date can show: %s', (seconds, hasEnd) => {
  const { expiresAt } = withTokens(record, tokens, seconds);
  expect(expiresAt !== undefined).toBe(hasEnd);
});
