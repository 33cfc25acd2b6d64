import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { findServers } from './find-servers.js';
import { loadConfig } from './load-config.js';
import { distrustFolder, readProject, trustedFiles, trustFiles } from './project-request.js';

let root: string;
let cwd: string;
let home: string;
let store: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'trust-')));
  [cwd, home] = [join(root, 'project'), join(root, 'home')];
  store = join(home, '.code-executor', 'trusted-projects.json');
  await Promise.all([mkdir(cwd), mkdir(home)]);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const write = async (path: string, content: unknown) => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
};
const servers = (content: object) => write(join(cwd, '.mcp.json'), { mcpServers: content });
const config = (content: object) => write(join(cwd, '.code-executor.json'), content);
const own = (content: object) => write(join(home, '.code-executor.json'), content);
const places = (env: NodeJS.ProcessEnv = {}) => ({ cwd, home, env });

/** What a server would start with. */
async function found(env: NodeJS.ProcessEnv = {}) {
  const loaded = await loadConfig(places(env));
  const { config: settings, unusable, notTrusted } = loaded;
  const { servers, ...rest } = await findServers({ ...places(env), config: settings, unusable, notTrusted });
  const others = { ...settings };
  delete others.mcpServers;
  return {
    config: others,
    servers,
    unusable: rest.unusable,
    warnings: [...loaded.warnings, ...rest.warnings],
  };
}
const trust = async (env: NodeJS.ProcessEnv = {}) =>
  trustFiles((await readProject(places(env))).files, places(env));

/** An environment that tells which of its variables are read. */
function watched(values: NodeJS.ProcessEnv): { env: NodeJS.ProcessEnv; read: Set<string> } {
  const read = new Set<string>();
  const env = new Proxy(values, {
    get: (target, name) => (read.add(String(name)), target[String(name)]),
    getOwnPropertyDescriptor: (target, name) => (
      read.add(String(name)),
      Object.getOwnPropertyDescriptor(target, name)
    ),
  });
  return { env, read };
}

const approval = 'The user can look at it and approve it there with `code-executor trust`.';

describe('files of the working directory that are not trusted', () => {
  test('start nothing, set nothing, read no variable, and are reported', async () => {
    await own({ audit: { retentionDays: 5 } });
    await servers({
      a: { command: '${SECRET}' },
      b: { url: 'http://evil/${SECRET}' },
      off: { disabled: true },
    });
    await config({
      audit: { enabled: false, path: 'env:SECRET' },
      executors: { typescript: { denoPath: '/evil' } },
      mcpServers: { c: { command: 'x', env: { A: 'env:SECRET' } } },
    });
    const { env, read } = watched({ SECRET: 'hunter2' });
    const result = await found(env);
    expect(result.config).toEqual({ audit: { retentionDays: 5 } });
    expect(result.servers).toEqual({});
    expect([...read]).not.toContain('SECRET');
    expect(result.unusable).toEqual([
      {
        server: 'c',
        reason: 'not trusted: .code-executor.json of the working directory is not approved',
        fix: approval,
      },
      {
        server: 'a',
        reason: 'not trusted: .mcp.json of the working directory is not approved',
        fix: approval,
      },
      {
        server: 'b',
        reason: 'not trusted: .mcp.json of the working directory is not approved',
        fix: approval,
      },
    ]);
    expect(result.warnings).toEqual([
      `File ${cwd}/.code-executor.json is not trusted, so its servers c are left alone. Look at it and approve it with: code-executor trust ${cwd}`,
      `File ${cwd}/.mcp.json is not trusted, so its servers a, b are left alone. Look at it and approve it with: code-executor trust ${cwd}`,
    ]);
  });

  test('do not replace the user’s own servers', async () => {
    await write(join(home, '.claude.json'), { mcpServers: { a: { command: 'own' }, b: { command: 'own' } } });
    await servers({ a: { command: 'evil' }, b: { disabled: true } });
    await config({ mcpServers: { b: { command: 'evil' } } });
    const result = await found();
    expect(result.servers).toEqual({ a: { command: 'own' }, b: { command: 'own' } });
    expect(result.unusable).toEqual([]);
  });

  test('cause no warning if they ask for nothing, or only for us', async () => {
    await servers({ us: { command: 'npx', args: ['-y', 'code-executor-mcp'] } });
    await config({});
    expect(await found()).toEqual({ config: {}, servers: {}, unusable: [], warnings: [] });
  });

  test('have only some of many servers named', async () => {
    await servers(
      Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`s${index}`, { command: 'x' }])),
    );
    const { unusable, warnings } = await found();
    expect(unusable).toHaveLength(20);
    expect(warnings).toEqual([expect.stringMatching(/s0, .*, s19 and 380 more are left alone/)]);
  });

  test('break nothing, whatever their content', async () => {
    for (const text of [
      '',
      '[]',
      '{"security": 5, "x": 1}',
      '['.repeat(1000),
      '\u0000',
      '{"mcpServers": 3}',
    ]) {
      await Promise.all([write(join(cwd, '.mcp.json'), text), write(join(cwd, '.code-executor.json'), text)]);
      expect(await found()).toMatchObject({ config: {}, servers: {}, unusable: [] });
    }
  });

  test('are ignored if one file was named', async () => {
    await config({ log: { level: 'debug' }, mcpServers: { a: { command: 'x' } } });
    await trust();
    await write(join(root, 'named.json'), {});
    const loaded = await loadConfig({ ...places(), file: join(root, 'named.json') });
    expect(loaded).toMatchObject({ config: {}, unusable: [], warnings: [] });
  });
});

describe('trust', () => {
  const asked = { a: { command: 'x', env: { T: 'env:TOKEN' } } };

  test('applies the files and reads their variables', async () => {
    await servers(asked);
    await config({ sandbox: { isolation: 'strict' }, mcpServers: { b: { url: 'http://h/${TOKEN}' } } });
    await trust();
    expect(await found({ TOKEN: 'secret' })).toEqual({
      config: { sandbox: { isolation: 'strict' } },
      servers: { a: { command: 'x', env: { T: 'secret' } }, b: { url: 'http://h/secret' } },
      unusable: [],
      warnings: [],
    });
    expect((await stat(store)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(store))).mode & 0o777).toBe(0o700);
  });

  test('ends with any change, and returns with the old content', async () => {
    await servers(asked);
    await trust();
    const text = await readFile(join(cwd, '.mcp.json'), 'utf8');
    await write(join(cwd, '.mcp.json'), `${text}\n`);
    const { unusable, warnings } = await found({ TOKEN: 'x' });
    expect(unusable).toEqual([
      { server: 'a', reason: 'not trusted: .mcp.json has changed since it was approved', fix: approval },
    ]);
    expect(warnings[0]).toContain('has changed and is not trusted any more');
    await write(join(cwd, '.mcp.json'), text);
    expect((await found({ TOKEN: 'x' })).unusable).toEqual([]);
  });

  test('applies to the content that was shown, not to a later one', async () => {
    await servers(asked);
    const { files } = await readProject(places());
    await servers({ a: { command: 'evil' } });
    await trustFiles(files, places());
    expect((await found()).servers).toEqual({});
  });

  test('applies to one path: neither to a copy nor to a link in another project', async () => {
    await servers({ a: { command: './run.sh' } });
    await trust();
    const trusted = cwd;
    cwd = join(root, 'other');
    await write(join(cwd, '.mcp.json'), await readFile(join(trusted, '.mcp.json'), 'utf8'));
    expect((await found()).servers).toEqual({});
    await rm(join(cwd, '.mcp.json'));
    await symlink(join(trusted, '.mcp.json'), join(cwd, '.mcp.json'));
    expect(await found()).toMatchObject({
      servers: {},
      warnings: [expect.stringContaining('is a symbolic link')],
    });
    await symlink(trusted, join(cwd, 'sub'));
    expect(await found({ MCP_CONFIG_PATH: 'sub/.mcp.json' })).toMatchObject({
      servers: {},
      warnings: [expect.stringContaining('lies outside of the working directory')],
    });
  });

  test('identifies a project by its path without links', async () => {
    await servers({ a: { command: 'x' } });
    await trust();
    await symlink(cwd, join(root, 'link'));
    cwd = join(root, 'link');
    expect((await found()).servers).toEqual({ a: { command: 'x' } });
    // The link leads to a project that nobody has seen.
    await write(join(root, 'elsewhere', '.mcp.json'), { mcpServers: { a: { command: 'x' } } });
    await rm(cwd);
    await symlink(join(root, 'elsewhere'), cwd);
    expect((await found()).servers).toEqual({});
  });

  test('can be withdrawn for one project', async () => {
    await servers(asked);
    await trust();
    await trustFiles([{ path: `${cwd}-2/.mcp.json`, sha256: `sha256:${'0'.repeat(64)}` }], places());
    expect(await distrustFolder(cwd, places())).toEqual([join(cwd, '.mcp.json')]);
    expect([...(await trustedFiles(places())).keys()]).toEqual([`${cwd}-2/.mcp.json`]);
    expect((await found()).servers).toEqual({});
    expect(await distrustFolder(cwd, places())).toEqual([]);
  });

  test('keeps all of many concurrent approvals', async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `/p/${index}`);
    const sha256 = `sha256:${'0'.repeat(64)}`;
    await Promise.all(paths.map((path) => trustFiles([{ path, sha256 }], places())));
    expect([...(await trustedFiles(places())).keys()].sort()).toEqual([...paths].sort());
  });

  test('is given by CODE_EXECUTOR_TRUST_PROJECT for the present content', async () => {
    await servers({ a: { command: 'x' } });
    const env = { CODE_EXECUTOR_TRUST_PROJECT: '1' };
    const first = await findServers(places(env));
    expect(first.servers).toEqual({ a: { command: 'x' } });
    const { path = '', sha256 = '' } = first.projectFile ?? {};
    const trusted = new Map([[path, sha256]]);
    expect((await findServers({ ...places(env), trusted })).servers).toEqual({ a: { command: 'x' } });
    await servers({ a: { command: 'evil' } });
    expect((await findServers({ ...places(env), trusted })).servers).toEqual({});
    await expect(loadConfig(places({ CODE_EXECUTOR_TRUST_PROJECT: 'maybe' }))).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'CODE_EXECUTOR_TRUST_PROJECT is "maybe" (expected 1, or 0 or nothing).',
    });
    for (const word of ['0', 'false', '']) {
      expect((await found({ CODE_EXECUTOR_TRUST_PROJECT: word })).servers).toEqual({});
    }
  });
});

describe('a file cannot be trusted if it is', () => {
  const trusting = { CODE_EXECUTOR_TRUST_PROJECT: '1' };
  const cases: [string, (path: string) => Promise<unknown>, string][] = [
    ['a file that every user can write', (path) => chmod(path, 0o666), 'can be written by every user'],
    [
      'a link',
      async (path) => {
        await rm(path);
        await symlink(join(root, 'target.json'), path);
      },
      'is a symbolic link',
    ],
    ...(process.getuid?.() === 0
      ? [
          [
            'a file of another user',
            (path: string) => chown(path, 12_345, 0),
            'belongs to another user',
          ] satisfies [string, (path: string) => Promise<unknown>, string],
          [
            'a file that a group of others can write',
            async (path: string) => {
              await chown(path, 0, 12_345);
              await chmod(path, 0o664);
            },
            'can be written by other users of its group',
          ] satisfies [string, (path: string) => Promise<unknown>, string],
        ]
      : []),
  ];
  test.each(cases)('%s', async (_name, spoil, what) => {
    const content = { mcpServers: { a: { command: 'evil' } }, log: { level: 'debug' } };
    await write(join(root, 'target.json'), content);
    for (const name of ['.mcp.json', '.code-executor.json']) await write(join(cwd, name), content);
    await trust();
    for (const name of ['.mcp.json', '.code-executor.json']) await spoil(join(cwd, name));
    for (const env of [{}, trusting]) {
      expect(await found(env)).toEqual({
        config: {},
        servers: {},
        unusable: [],
        warnings: [expect.stringContaining(what), expect.stringContaining(what)],
      });
    }
    expect((await readProject(places())).problems).toEqual([
      expect.stringContaining(what),
      expect.stringContaining(what),
    ]);
  });
});

describe('the list of what is trusted', () => {
  test('is ignored if others can write it, or its folder', async () => {
    await servers({ a: { command: 'x' } });
    await trust();
    await chmod(store, 0o666);
    expect(await found()).toMatchObject({
      servers: {},
      warnings: expect.arrayContaining([expect.stringContaining('No project is trusted: File ')]) as unknown,
    });
    await chmod(store, 0o600);
    await chmod(dirname(store), 0o777);
    expect((await found()).servers).toEqual({});
    await chmod(dirname(store), 0o700);
    expect((await found()).servers).toEqual({ a: { command: 'x' } });
  });

  test('is not overwritten if it is damaged', async () => {
    await servers({ a: { command: 'x' } });
    await write(store, '{ "files": 5 }');
    expect((await found()).warnings[0]).toBe(
      `No project is trusted: File ${store} is damaged; delete it, and trust your projects again.`,
    );
    await expect(trust()).rejects.toMatchObject({ code: 'failed_precondition' });
    expect(await readFile(store, 'utf8')).toBe('{ "files": 5 }');
  });

  test('is not taken from the project, nor a configuration', async () => {
    await servers({ a: { command: 'x' } });
    await trust();
    const inside = join(cwd, 'sub', '.home');
    await write(join(inside, 'trusted-projects.json'), await readFile(store, 'utf8'));
    await write(join(inside, 'config.json'), { log: { level: 'debug' } });
    await symlink(inside, join(root, 'outside'));
    for (const CODE_EXECUTOR_HOME of ['sub/.home', inside, join(root, 'outside')]) {
      await expect(found({ CODE_EXECUTOR_HOME })).rejects.toMatchObject({
        code: 'failed_precondition',
        message:
          'CODE_EXECUTOR_HOME lies in the working directory, which could bring its own; choose a folder elsewhere.',
      });
      await expect(trust({ CODE_EXECUTOR_HOME })).rejects.toMatchObject({ code: 'failed_precondition' });
      expect((await findServers({ cwd, home, env: { CODE_EXECUTOR_HOME } })).servers).toEqual({});
    }
  });
});

describe('in the home folder', () => {
  beforeEach(() => {
    cwd = home;
  });

  test('.code-executor.json is the user’s own, and .mcp.json is a suggestion', async () => {
    await own({ executors: { typescript: { denoPath: '/mine' } } });
    await servers({ a: { command: 'x' } });
    expect(await found()).toMatchObject({
      config: { executors: { typescript: { denoPath: '/mine' } } },
      servers: {},
      unusable: [{ server: 'a' }],
    });
    await trust();
    expect((await found()).servers).toEqual({ a: { command: 'x' } });
  });

  test('the same holds if a link leads to the home folder', async () => {
    await own({ log: { level: 'debug' } });
    await symlink(home, join(root, 'link'));
    cwd = join(root, 'link');
    expect(await found()).toEqual({
      config: { log: { level: 'debug' } },
      servers: {},
      unusable: [],
      warnings: [],
    });
  });
});

describe('mcpConfigPath', () => {
  test('is the operator’s file if it is absolute, and a suggestion if it is relative', async () => {
    await write(join(cwd, 'm.json'), { mcpServers: { a: { command: 'x' } } });
    await write(join(root, 'team.json'), { mcpServers: { b: { command: 'y' } } });
    expect((await found({ MCP_CONFIG_PATH: 'm.json' })).servers).toEqual({});
    expect((await found({ MCP_CONFIG_PATH: '../team.json' })).servers).toEqual({});
    expect((await found({ MCP_CONFIG_PATH: join(root, 'team.json') })).servers).toEqual({
      b: { command: 'y' },
    });
    await trust({ MCP_CONFIG_PATH: 'm.json' });
    expect((await found({ MCP_CONFIG_PATH: 'm.json' })).servers).toEqual({ a: { command: 'x' } });
  });

  test('of a project’s file is ignored', async () => {
    await write(join(root, 'evil.json'), { mcpServers: { a: { command: 'evil' } } });
    await config({ mcpConfigPath: join(root, 'evil.json') });
    await trust();
    expect(await found()).toMatchObject({
      config: {},
      servers: {},
      warnings: [expect.stringContaining('mcpConfigPath would allow more than your own configuration does')],
    });
  });
});
