import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { findServers } from './find-servers.js';
import { loadConfig } from './load-config.js';
import { cwd, home, projectFile, write, project, user, find } from './find-servers.test.support.js';

describe('findServers warns and leaves the others unharmed', () => {
  test('names the rules for servers that are not configured, and the server that may be meant', async () => {
    await user({ github: { command: 'x' }, off: { command: 'x', disabled: true } });
    const rules = { deny: ['x'] };
    const policy = { servers: { github: rules, off: rules, githbu: rules, elsewhere: rules, broken: rules } };
    const unusable = [{ server: 'broken', reason: 'it is', fix: 'mend it' }];
    expect((await find({ config: { policy }, unusable })).warnings).toEqual([
      'policy.servers.githbu counts for nothing here: no server of that name is configured. Did you mean github?',
      'policy.servers.elsewhere counts for nothing here: no server of that name is configured.',
    ]);
  });

  test('says nothing of the rules for servers of a project that is not trusted yet', async () => {
    await project({ suggested: { command: 'x' } });
    const config = { policy: { servers: { suggested: { deny: ['x'] } } } };
    expect((await findServers({ cwd, home, env: {}, config })).warnings).toEqual([
      expect.stringContaining('trust'),
    ]);
  });

  const good = { good: { command: 'x' } };
  test.each<[string, unknown, string]>([
    ['no object', 5, 'mcpServers.bad is a number (expected object)'],
    ['nothing', {}, 'mcpServers.bad needs a command or a url'],
    ['both', { command: 'x', url: 'http://x' }, 'mcpServers.bad has both a command and a url; keep one'],
    [
      'stdio without command',
      { type: 'stdio', url: 'http://x' },
      'mcpServers.bad has the type stdio but no command',
    ],
    ['http without url', { type: 'http', command: 'x' }, 'mcpServers.bad has the type http but no url'],
    [
      'a foreign type',
      { type: 'ws', url: 'ws://x' },
      'mcpServers.bad.type is a string (expected "stdio", "http", "sse", "streamable-http", "streamableHttp")',
    ],
    ['an empty command', { command: '' }, 'mcpServers.bad.command is a string (expected non-empty string)'],
    [
      'args in one string',
      { command: 'x', args: 'a b' },
      'mcpServers.bad.args is a string (expected array of strings)',
    ],
    [
      'a wrong argument',
      { command: 'x', args: ['a', null] },
      'mcpServers.bad.args[1] is null (expected string)',
    ],
    [
      'a secret of the wrong type',
      { command: 'x', env: { A: 12_345 } },
      'mcpServers.bad.env.A is a number (expected string)',
    ],
    [
      'another protocol',
      { url: 'ftp://x' },
      'mcpServers.bad needs a url that begins with http:// or https://',
    ],
    ['a NUL character', { command: 'a\0b' }, 'mcpServers.bad.command contains a NUL character'],
    [
      'an unset env: variable',
      { command: 'x', env: { T: 'env:NONE' } },
      'mcpServers.bad.env.T asks for the environment variable "NONE", which is not set',
    ],
    ...(
      [
        ['agrs', 'args'],
        ['arg', 'args'],
        ['evn', 'env'],
        ['header', 'headers'],
        ['serverUrl', 'url'],
        ['httpUrl', 'url'],
        ['environment', 'env'],
        ['cmd', 'command'],
      ] as const
    ).map(([key, meant]): [string, unknown, string] => [
      `the key ${key}`,
      { command: 'x', [key]: 'y' },
      `mcpServers.bad.${key} is not a known key; did you mean mcpServers.bad.${meant}?`,
    ]),
    [
      'enabled: false, which would start what is switched off',
      { command: 'x', enabled: false },
      'mcpServers.bad.enabled is not a known key; did you mean mcpServers.bad.disabled?',
    ],
  ])('for an entry with %s', async (_name, bad, why) => {
    await project({ bad, ...good });
    const { servers, warnings } = await find();
    expect(servers).toEqual(good);
    expect(warnings).toEqual([
      `MCP server bad in ${projectFile} is left out: ${why}${why.endsWith('?') ? '' : '.'}`,
    ]);
  });

  test('for a definition whose text is wrong, and names it to programs without a path', async () => {
    await write(
      projectFile,
      '{"mcpServers": {"bad": {"command": "x", "command": "y"}, "good": {"command": "x"}}}',
    );
    const found = await findServers({ cwd, home, env: { CODE_EXECUTOR_TRUST_PROJECT: '1' } });
    expect(found).toMatchObject({
      servers: good,
      unusable: [
        {
          server: 'bad',
          reason:
            'its definition in .mcp.json cannot be used: mcpServers.bad.command (line 1, column 41) is there twice',
          fix: 'Correct it there.',
        },
      ],
    });
  });

  test('for servers of the configuration, which are no others’ then', async () => {
    await user({ bad: { command: 'other' }, ...good });
    await write(join(home, '.code-executor.json'), {
      mcpServers: { bad: { command: 'x', env: { T: 'env:NONE' } } },
    });
    const { config, unusable, warnings } = await loadConfig({ cwd, home, env: {} });
    const bad = {
      server: 'bad',
      reason:
        'its definition in the configuration cannot be used: mcpServers.bad.env.T asks for the environment variable "NONE", which is not set',
      fix: 'Set that variable where Code Executor is started, or take the server out.',
    };
    expect({ config, unusable }).toEqual({ config: { mcpServers: {} }, unusable: [bad] });
    expect(warnings).toHaveLength(1);
    expect(await findServers({ config, unusable, cwd, home, env: {} })).toMatchObject({
      servers: good,
      unusable: [bad],
      warnings: [],
    });
  });

  test.each(['', 'a b', 'a/b', 'ä', 'x'.repeat(129)])('for the name %j', async (name) => {
    await project({ [name]: { command: 'x' }, ...good });
    const { servers, warnings } = await find();
    expect(servers).toEqual(good);
    expect(warnings).toEqual([
      expect.stringContaining('is left out: it is no name for a server; allowed are letters, digits'),
    ]);
  });
});
