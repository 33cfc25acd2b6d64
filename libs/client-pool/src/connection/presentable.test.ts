import { describe, expect, test } from '@jest/globals';

import { presenter } from './presentable.js';

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

  test('blanks secrets in args by the names of their options and in addresses, and keeps other args', () => {
    const args = [
      '--api-key=abcdefgh',
      '--token',
      'ijklmnop',
      '-e',
      'DB_PASSWORD=qrstuvwx',
      '/home/me/documents',
    ];
    const present = presenter({ command: 'x', args: [...args, 'postgres://me:pass-word@db/orders'] });
    expect(present('abcdefgh ijklmnop qrstuvwx pass-word in /home/me/documents')).toBe(
      '*** *** *** *** in /home/me/documents',
    );
  });

  test('blanks args whose meaning is not known, and short values of secret options', () => {
    const args = [
      '-y',
      '@scope/server',
      'stdio',
      'positional-secret',
      '--token',
      'a.b',
      '--out',
      './reports',
      'main.js',
    ];
    const present = presenter({ command: 'npx', args });
    expect(present('npx -y @scope/server stdio positional-secret --token a.b --out ./reports main.js')).toBe(
      'npx -y @scope/server stdio *** --token *** --out ./reports main.js',
    );
    // The same characters as part of something else are not a secret.
    expect(present('a.bc, axb, xa.b')).toBe('a.bc, axb, xa.b');
    expect(
      presenter({ command: 'npx', args: ['some-server@1.0.0', 'some-secret'] })(
        'some-server@1.0.0 some-secret',
      ),
    ).toBe('some-server@1.0.0 ***');
  });

  test('keeps the names of variables, modules and images', () => {
    const image = 'ghcr.io/github/github-mcp-server';
    const args = [
      'run',
      '-i',
      '--rm',
      '-e',
      'GITHUB_PERSONAL_ACCESS_TOKEN',
      image,
      'positional/secret',
      'other-secret',
    ];
    const said = `GITHUB_PERSONAL_ACCESS_TOKEN not set; unable to find image ${image}`;
    expect(presenter({ command: '/usr/bin/docker', args })(`${said}: other-secret`)).toBe(`${said}: ***`);
    expect(presenter({ command: 'sh', args })('positional/secret')).toBe('***');
    const python = presenter({ command: 'python3', args: ['-m', 'mcp_server_git', 'some_secret'] });
    expect(python('No module named mcp_server_git: some_secret')).toBe('No module named mcp_server_git: ***');
  });

  test('blanks secrets in Base64, in hexadecimal and as part of a URL', () => {
    const present = presenter({ command: 'x', env: { TOKEN: 'päss wörd/+?' } });
    const secret = Buffer.from('päss wörd/+?');
    for (const encoding of ['base64', 'base64url', 'hex'] as const) {
      expect(present(secret.toString(encoding))).toMatch(/^\*\*\*.{0,4}$/);
    }
    expect(present(`?token=${encodeURIComponent(secret.toString())}`)).toBe('?token=***');
  });

  test('makes one bounded line without terminal codes', () => {
    const present = presenter({ command: 'x' });
    expect(present(' \u001b[31mred\u001b[0m\n\tand\u0007 more\r\n')).toBe('red and more');
    expect(present('x'.repeat(1_000_000))).toBe(`${'x'.repeat(299)}…`);
    expect(present('abcdef', 4)).toBe('abc…');
  });
});
