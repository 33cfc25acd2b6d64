import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { findServers, type FindServersOptions } from './find-servers.js';
import { loadConfig } from './load-config.js';

let root: string;
let cwd: string;
let home: string;
let projectFile: string;
let userFile: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'servers-')));
  [cwd, home] = [join(root, 'project'), join(root, 'home')];
  [projectFile, userFile] = [join(cwd, '.mcp.json'), join(home, '.claude.json')];
  await Promise.all([mkdir(cwd), mkdir(home)]);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const write = async (path: string, content: unknown) => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
};
const project = (mcpServers: unknown) => write(projectFile, { mcpServers });
const user = (mcpServers: unknown) => write(userFile, { numStartups: 5, projects: {}, mcpServers });
/** With the project trusted. */
const find = async ({ env = {}, ...options }: FindServersOptions = {}) => {
  const trusting = { ...env, CODE_EXECUTOR_TRUST_PROJECT: '1' };
  const { servers, warnings } = await findServers({ cwd, home, env: trusting, ...options });
  return { servers, warnings };
};

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

  test('for __proto__ in either file', async () => {
    const text = '{ "mcpServers": { "__proto__": { "command": "evil" }, "good": { "command": "x" } } }';
    await Promise.all([write(userFile, text), write(projectFile, text)]);
    const { servers, warnings } = await find();
    expect(servers).toEqual(good);
    expect(Object.getPrototypeOf(servers)).toBe(Object.prototype);
    expect(warnings).toEqual([
      `MCP server "__proto__" in ${projectFile} is left out: it is no name for a server; allowed are letters, digits, "_", "-" and ".", at most 128.`,
    ]);
  });

  test.each([
    [
      'broken JSON',
      '{ "mcpServers": {,} }',
      'is not as it should be: line 1, column 18: not valid JSON, value expected',
    ],
    ['a list of servers', '{ "mcpServers": [] }', 'has no object "mcpServers"'],
    ['another key', '{ "servers": {} }', 'has no object "mcpServers"'],
    ['a list', '[]', 'has no object "mcpServers"'],
    [
      'a deep nest',
      '['.repeat(100_000),
      'is not as it should be: line 1, column 65: nested deeper than 64 levels',
    ],
  ])('for a project file that holds %s', async (_name, text, what) => {
    await user(good);
    await write(projectFile, text);
    expect(await find()).toEqual({ servers: good, warnings: [`MCP server file ${projectFile} ${what}.`] });
  });

  test('for a broken file of the user, small or big', async () => {
    await project(good);
    await write(userFile, '{ "secret": hunter2 }');
    expect(await find()).toEqual({
      servers: good,
      warnings: [
        `MCP server file ${userFile} is not as it should be: line 1, column 13: not valid JSON, invalid symbol.`,
      ],
    });
    await write(userFile, `{ "history": "${'x'.repeat(2_000_000)}`);
    expect(await find()).toEqual({
      servers: good,
      warnings: [`MCP server file ${userFile} is not as it should be: not valid JSON.`],
    });
  });

  test('for a broken file of the user whose servers are known from before, until it is gone', async () => {
    await user({ mine: { command: 'mine' } });
    await project(good);
    const env = { CODE_EXECUTOR_TRUST_PROJECT: '1' };
    let { operatorFiles } = await findServers({ cwd, home, env });
    const again = async () => {
      const found = await findServers({ cwd, home, env: {}, operatorFiles });
      ({ operatorFiles } = found);
      return [Object.keys(found.servers), found.brokenFiles];
    };
    await writeFile(userFile, '{ "mcpServers": {');
    // The project's are not trusted by now, whatever became of the user's.
    expect(await again()).toEqual([['mine'], [userFile]]);
    expect(await again()).toEqual([['mine'], [userFile]]);
    await rm(userFile);
    expect(await again()).toEqual([[], []]);
    await writeFile(userFile, '{');
    expect(await again()).toEqual([[], [userFile]]);
  });

  test('for what is no file, without waiting', async () => {
    await project(good);
    execFileSync('mkfifo', [userFile]);
    expect(await find()).toEqual({
      servers: good,
      warnings: [`MCP servers are missing: File ${userFile} is no regular file.`],
    });
  });

  test('for broken servers of this project in the user’s file, once, and keeps the rest', async () => {
    await write(userFile, { mcpServers: good, projects: { [cwd]: { mcpServers: { bad: { command: 5 } } } } });
    const { servers, warnings } = await find();
    expect(servers).toEqual(good);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      /^MCP server bad in .*\.claude\.json is left out: projects\.".*"\.mcpServers\.bad\.command is a number/,
    );
    await write(userFile, { mcpServers: good, projects: { [cwd]: { mcpServers: [] } } });
    expect((await find()).warnings).toEqual([
      expect.stringMatching(/claude\.json has no object projects\..*\.mcpServers\.$/),
    ]);
    for (const projects of [null, [], { [cwd]: 'x' }, { [cwd]: {} }]) {
      await write(userFile, { mcpServers: good, projects });
      expect(await find()).toEqual({ servers: good, warnings: [] });
    }
    await write(userFile, []);
    expect((await find()).warnings).toHaveLength(1);
  });

  test('for files that are too big', async () => {
    await Promise.all([write(userFile, ''), write(projectFile, '')]);
    await Promise.all([truncate(userFile, 65 * 1024 * 1024), truncate(projectFile, 1024 * 1024 + 1)]);
    expect((await find()).warnings).toEqual([
      `MCP servers are missing: File ${userFile} is larger than 64 MB.`,
      `Nothing of the working directory's file counts: File ${projectFile} is larger than 1 MB.`,
    ]);
  });

  test('for the user’s own file where every user can write it', async () => {
    await user({ bad: { command: 'x' } });
    await chmod(userFile, 0o666);
    expect(await findServers({ cwd, home, env: {} })).toEqual({
      servers: {},
      unusable: [],
      brokenFiles: [userFile],
      operatorFiles: new Map(),
      warnings: [
        `MCP servers are missing: File ${userFile} can be written by every user; change that with chmod o-w.`,
      ],
    });
  });

  test('not for a link that the user has made', async () => {
    await write(join(root, 'dotfiles.json'), { mcpServers: good });
    await symlink(join(root, 'dotfiles.json'), userFile);
    expect(await find()).toEqual({ servers: good, warnings: [] });
  });

  test('for thousands of entries, in a hundred lines', async () => {
    await project(Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`s${index}`, {}])));
    const { servers, warnings } = await find();
    expect(servers).toEqual({});
    expect(warnings).toHaveLength(101);
    expect(warnings[0]).toContain('has more than 500 servers');
    expect(warnings[100]).toBe('401 more warnings like these.');
  });

  test('not for a big file with a long history', async () => {
    const history = Array.from({ length: 20 }, () => 'x'.repeat(1_000_000));
    await write(userFile, { history, deep: 'd', mcpServers: good });
    expect(await find()).toEqual({ servers: good, warnings: [] });
  });

  test('not for a nest that JSON.parse survives', async () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    await write(
      userFile,
      `{ "x": ${deep}, "mcpServers": { "good": { "command": "x" }, "bad": { "command": ${deep} } } }`,
    );
    expect(await find()).toEqual({
      servers: good,
      warnings: [
        `MCP server bad in ${userFile} is left out: mcpServers.bad.command is an array (expected non-empty string).`,
      ],
    });
  });
});
