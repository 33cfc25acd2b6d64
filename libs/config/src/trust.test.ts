import { readFile, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { findServers } from './find-servers.js';
import { loadConfig } from './load-config.js';
import { distrustFolder, readProject, trustedFiles, trustFiles } from './project-request.js';
import {
  root,
  cwd,
  home,
  store,
  write,
  servers,
  config,
  own,
  places,
  found,
  trust,
  watched,
  approval,
  workIn,
} from './trust.test.support.js';

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
    workIn(join(root, 'other'));
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
    workIn(join(root, 'link'));
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
