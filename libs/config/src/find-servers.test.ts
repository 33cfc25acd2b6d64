import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';
import { loadConfig } from './load-config.js';
import { cwd, home, projectFile, userFile, write, project, user, find } from './find-servers.test.support.js';

describe('findServers merges', () => {
  test('the user’s file, the project’s and the configuration, the later wins', async () => {
    await user({ a: { command: 'user' }, b: { command: 'user' }, c: { command: 'user' } });
    await project({ b: { command: 'project' }, c: { command: 'project' } });
    const config = { mcpServers: { c: { command: 'config' } } };
    expect(await find({ config })).toEqual({
      servers: { a: { command: 'user' }, b: { command: 'project' }, c: { command: 'config' } },
      warnings: [],
    });
    expect((await find({ config: { projectOnly: true } })).servers).toEqual({
      b: { command: 'project' },
      c: { command: 'project' },
    });
  });

  test('the servers that the user’s file holds for this project alone, over those of the project', async () => {
    const local = {
      b: { command: 'local' },
      c: { command: 'local' },
      d: { disabled: true },
      e: { command: 'local' },
    };
    await write(userFile, {
      mcpServers: { a: { command: 'user' }, e: { command: 'user' } },
      projects: {
        [cwd]: { history: [], mcpServers: local },
        [home]: { mcpServers: { z: { command: 'other' } } },
      },
    });
    await project({ b: { command: 'project' }, c: { command: 'project' }, d: { command: 'project' } });
    const config = { mcpServers: { c: { command: 'config' } } };
    expect(await find({ config })).toEqual({
      servers: {
        a: { command: 'user' },
        b: { command: 'local' },
        c: { command: 'config' },
        e: { command: 'local' },
      },
      warnings: [],
    });
    expect((await find({ config: { projectOnly: true } })).servers).toEqual({
      b: { command: 'project' },
      c: { command: 'project' },
      d: { command: 'project' },
    });
  });

  test('nothing where there is nothing', async () => {
    expect(await find()).toEqual({ servers: {}, warnings: [] });
    await write(userFile, { numStartups: 5 });
    expect(await find()).toEqual({ servers: {}, warnings: [] });
  });

  test('the file that mcpConfigPath names, and warns where that is missing', async () => {
    await project({ a: { command: 'default' } });
    await write(
      join(cwd, 'sub', 'm.json'),
      '{ "mcpServers": { "a": { "command": "named" }, }, } // with comments',
    );
    expect(await find({ config: { mcpConfigPath: 'sub/m.json' } })).toEqual({
      servers: { a: { command: 'named' } },
      warnings: [],
    });
    expect(await find({ config: { mcpConfigPath: 'none.json' } })).toEqual({
      servers: {},
      warnings: [
        `MCP server file ${join(cwd, 'none.json')} does not exist; correct mcpConfigPath or MCP_CONFIG_PATH.`,
      ],
    });
  });

  test('and leaves out what the winner disables', async () => {
    await user({ a: { command: 'x' }, b: { command: 'x' }, c: { command: 'x', disabled: true } });
    await project({ a: { disabled: true } });
    expect((await find({ config: { mcpServers: { b: { disabled: true } } } })).servers).toEqual({});
  });

  test('what loadConfig returns', async () => {
    await write(join(home, '.code-executor.json'), {
      mcpServers: { a: { type: 'streamableHttp', url: 'https://x/', headers: { T: 'env:T' } } },
    });
    const env = { T: '${HOME}' };
    const { config } = await loadConfig({ cwd, home, env });
    expect((await find({ config, env })).servers).toEqual({
      a: { type: 'http', url: 'https://x/', headers: { T: '${HOME}' } },
    });
  });
});

describe('findServers accepts', () => {
  test.each<[string, unknown, unknown]>([
    ['a command', { command: 'x' }, { command: 'x' }],
    [
      'stdio in full',
      {
        type: 'stdio',
        command: 'x',
        args: ['', 'y'],
        env: { A: '' },
        cwd: '/tmp',
        timeout: 5,
        alwaysAllow: [],
      },
      { command: 'x', args: ['', 'y'], env: { A: '' }, cwd: '/tmp' },
    ],
    [
      'http',
      { type: 'http', url: 'http://x/mcp', headers: { A: 'b' } },
      { type: 'http', url: 'http://x/mcp', headers: { A: 'b' } },
    ],
    ['sse', { type: 'sse', url: 'https://x/sse' }, { type: 'sse', url: 'https://x/sse' }],
    ['streamable-http', { type: 'streamable-http', url: 'https://x/' }, { type: 'http', url: 'https://x/' }],
    ['streamableHttp', { type: 'streamableHttp', url: 'https://x/' }, { type: 'http', url: 'https://x/' }],
    ['a url', { url: 'https://x/' }, { url: 'https://x/' }],
  ])('%s', async (_name, entry, expected) => {
    await project({ a: entry });
    expect(await find()).toEqual({ servers: { a: expected }, warnings: [] });
  });

  test('names of inherited properties, and answers with a plain record', async () => {
    await project({ constructor: { command: 'x' }, toString: { command: 'y' }, 'A.b-c_1': { command: 'z' } });
    const { servers } = await find();
    expect(Object.entries(servers)).toEqual([
      ['constructor', { command: 'x' }],
      ['toString', { command: 'y' }],
      ['A.b-c_1', { command: 'z' }],
    ]);
    expect(Object.getPrototypeOf(servers)).toBe(Object.prototype);
  });

  test('variables, and keeps unset ones with a warning', async () => {
    await project({
      a: {
        command: '${BIN}/x',
        args: [
          '--a=${A}',
          '${NONE}',
          '${EMPTY:-d}',
          '${NONE:-}',
          '${NONE:-${A}}',
          'env:A',
          '$A',
          '${input:a}',
        ],
        env: { T: 'env:A', V: '${toString}' },
        cwd: '${BIN:-/x}',
      },
      b: { url: 'https://${HOST}/', headers: { H: 'Bearer ${A}' } },
      c: { url: '${A}' },
    });
    expect(await find({ env: { BIN: '/bin', A: '${BIN}', EMPTY: '', HOST: 'h.example' } })).toEqual({
      servers: {
        a: {
          command: '/bin/x',
          args: ['--a=${BIN}', '${NONE}', 'd', '', '${A}', '${BIN}', '$A', '${input:a}'],
          env: { T: '${BIN}', V: '${toString}' },
          cwd: '/bin',
        },
        b: { url: 'https://h.example/', headers: { H: 'Bearer ${BIN}' } },
      },
      warnings: [
        `MCP server a in ${projectFile}: mcpServers.a.args[1] uses "\${NONE}", which is not set and stays as it is.`,
        `MCP server a in ${projectFile}: mcpServers.a.env.V uses "\${toString}", which is not set and stays as it is.`,
        `MCP server c in ${projectFile} is left out: mcpServers.c needs a url that begins with http:// or https://.`,
      ],
    });
  });

  test('what other clients keep in an entry for themselves', async () => {
    await project({
      a: {
        command: 'x',
        alwaysAllow: ['y'],
        autoApprove: [],
        timeout: 60,
        trust: true,
        dev: { watch: '*' },
        tools: ['*'],
        enabled: true,
        oauth: { scopes: [] },
        startup_timeout_sec: 5,
      },
    });
    expect(await find()).toEqual({ servers: { a: { command: 'x' } }, warnings: [] });
  });

  test('and says that a limit of tools is none here', async () => {
    await project({ a: { command: 'x', disabledTools: ['y'] } });
    expect(await find()).toEqual({
      servers: { a: { command: 'x' } },
      warnings: [
        `MCP server a in ${projectFile}: mcpServers.a.disabledTools limits nothing here; see policy.servers.a.allow and deny.`,
      ],
    });
  });
});
