import { describe, expect, test } from '@jest/globals';

import { withheldPaths } from './index.js';

describe('withheldPaths', () => {
  const places = { cwd: '/work', home: '/home/u', env: {} };
  const usual = [
    ...['/home/u/.code-executor', '/home/u/.code-executor.json', '/home/u/.claude.json'],
    ...['/home/u/.config/code-executor', '/work/.code-executor.json', '/work/.mcp.json'],
  ];

  test('are the home of the product and all places of configuration and servers', () => {
    expect(withheldPaths(places)).toEqual(usual);
  });

  test('include the usual places even if others are named', () => {
    const env = {
      CODE_EXECUTOR_HOME: 'product',
      CODE_EXECUTOR_CONFIG_PATH: '/etc/named.json',
      XDG_CONFIG_HOME: '/xdg',
    };
    const paths = withheldPaths({ ...places, env, file: 'flag.json', config: { mcpConfigPath: 'mcp.json' } });
    expect(new Set(paths)).toEqual(
      new Set([
        ...usual.filter((path) => !path.includes('.config')),
        ...['/work/product', '/etc/named.json', '/xdg/code-executor', '/work/flag.json', '/work/mcp.json'],
      ]),
    );
  });

  test('include the audit log, the packages and the runtime, wherever the configuration puts them', () => {
    const config = {
      audit: { path: '/var/audit' },
      executors: { python: { packagesDir: 'packages' }, typescript: { denoPath: '/opt/deno' } },
    };
    expect(withheldPaths({ ...places, config })).toEqual([
      ...usual,
      '/var/audit',
      '/work/packages',
      '/opt/deno',
    ]);
  });

  test('ignore a relative XDG_CONFIG_HOME, as its specification says', () => {
    expect(withheldPaths({ ...places, env: { XDG_CONFIG_HOME: 'relative' } })).toEqual(usual);
  });
});
