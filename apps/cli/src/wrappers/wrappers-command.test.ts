import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { runCli } from '../run-cli.test.support.js';

const serverFile = '../../../../node_modules/@modelcontextprotocol/server-memory/dist/index.js';
const memoryServer = {
  command: process.execPath,
  args: [fileURLToPath(new URL(serverFile, import.meta.url))],
};
const dead = { command: 'false' };

let home: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'cli-wrappers-')));
});
afterEach(() => rm(home, { recursive: true }));

const configure = (mcpServers: object) =>
  writeFile(join(home, 'config.json'), JSON.stringify({ projectOnly: true, mcpServers }), { mode: 0o600 });
const paths = [
  'typescript/client.ts',
  'typescript/index.ts',
  'typescript/mcp-memory.ts',
  'python/_client.py',
  'python/__init__.py',
  'python/mcp_memory.py',
];

describe('code-executor wrappers', () => {
  test('writes modules for the tools of the configured servers, and again only what differs', async () => {
    await configure({ memory: memoryServer });
    const first = await runCli(home, 'wrappers');
    expect(first).toEqual({
      code: 0,
      stdout: [
        `9 tools in 6 files below ${join(home, 'wrappers')}, 0 as they were`,
        ...paths.map((path) => `  wrote    ${path}`),
        '',
      ].join('\n'),
      stderr: 'code-executor: Listing the tools ...\n',
    });
    const module = join(home, 'wrappers/typescript/mcp-memory.ts');
    expect(await readFile(module, 'utf8')).toContain('createEntities');
    await writeFile(module, 'mine');
    const second = await runCli(home, 'wrappers', '--json');
    expect(JSON.parse(second.stdout)).toEqual({
      directory: join(home, 'wrappers'),
      written: ['typescript/mcp-memory.ts'],
      unchanged: paths.filter((path) => !path.endsWith('mcp-memory.ts')),
      deleted: [],
      kept: [],
      unavailableServers: [],
    });
  });

  test('writes one language where it is told, and deletes what belongs to no server any more', async () => {
    await configure({ memory: memoryServer });
    await runCli(home, 'wrappers', 'here', '--language', 'python');
    expect(await readdir(join(home, 'here'))).toEqual(['python', 'wrapper-manifest.json']);
    await configure({});
    const { stdout } = await runCli(home, 'wrappers', 'here', '--language', 'python', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ deleted: ['python/mcp_memory.py'] });
  });

  test('keeps the modules of a server that cannot be asked now, and says so', async () => {
    await configure({ memory: memoryServer });
    await runCli(home, 'wrappers');
    await configure({ memory: dead, other: dead });
    const { code, stdout, stderr } = await runCli(home, 'wrappers');
    expect([code, stdout]).toEqual([
      1,
      `9 tools in 6 files below ${join(home, 'wrappers')}, 6 as they were\n`,
    ]);
    expect(stderr).toMatch(/Not all servers could be asked:\n {2}memory: .*\n {2}other: /);
    // Not even where nothing is known of it any more.
    await rm(join(home, 'schema-cache.json'));
    const { stdout: json } = await runCli(home, 'wrappers', '--json');
    expect(JSON.parse(json)).toMatchObject({ deleted: [], kept: [] });
    expect(await readdir(join(home, 'wrappers/typescript'))).toContain('mcp-memory.ts');
  });

  test.each([
    [['--language', 'cobol'], 2, 'Allowed choices are typescript, python'],
    [['/dev/null/wrappers'], 1, 'The directory of the wrappers could not be written'],
  ])('%j is a clear error', async (args, code, text) => {
    await configure({});
    const run = await runCli(home, 'wrappers', ...args);
    expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(text)]);
  });
});
