import { describe, expect, test } from '@jest/globals';

import { definitionKey } from './definition-key.js';
import type { UpstreamServer } from '../options.js';

const stdio = { command: 'npx', args: ['-y', 'pkg', '--api-key=one'], env: { TOKEN: 'one' }, cwd: '/a' };
const http = { url: 'https://me:one@host/mcp?key=one', headers: { authorization: 'Bearer one' } };
const keyOf = (server: UpstreamServer) => definitionKey('a', server);

describe('the key of a server in a cache', () => {
  test('is the same for the same definition, whatever its connectTimeoutMs', () => {
    expect(keyOf({ ...stdio, args: [...stdio.args], connectTimeoutMs: 5 })).toBe(keyOf(stdio));
    expect(keyOf(stdio)).toMatch(/^a#[0-9a-f]{18}$/);
  });

  test.each<[string, UpstreamServer, UpstreamServer]>([
    ['command', stdio, { ...stdio, command: 'node' }],
    ['argument', stdio, { ...stdio, args: ['-y', 'other', '--api-key=one'] }],
    ['folder', stdio, { ...stdio, cwd: '/b' }],
    ['name of a variable', stdio, { ...stdio, env: { OTHER: 'one' } }],
    ['value of a variable', stdio, { ...stdio, env: { TOKEN: 'two' } }],
    ['secret argument', stdio, { ...stdio, args: ['-y', 'pkg', '--api-key=two'] }],
    [
      'place of a database',
      { command: 'x', args: ['pg://me:one@h/a'] },
      { command: 'x', args: ['pg://me:one@h/b'] },
    ],
    ['address', http, { ...http, url: 'https://me:one@host/other?key=one' }],
    ['password in the address', http, { ...http, url: 'https://me:two@host/mcp?key=one' }],
    ['header', http, { ...http, headers: { authorization: 'Bearer two' } }],
    ['transport', http, { ...http, type: 'sse' }],
  ])('differs for a different %s', (_what, one, other) => {
    expect(keyOf(other)).not.toBe(keyOf(one));
  });

  test('reveals too little about possible secrets to guess them', () => {
    const keys = new Set(
      Array.from({ length: 3000 }, (_, pin) => keyOf({ ...stdio, env: { PIN: String(pin) } })),
    );
    expect(keys.size).toBe(256);
  });
});
