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

const configure = (mcpServers: object) => {
  // On a busy machine healthy servers need time to start.
  const config = { projectOnly: true, pool: { connectTimeoutMs: 50_000 }, mcpServers };
  return writeFile(join(home, 'config.json'), JSON.stringify(config), { mode: 0o600 });
};
const generate = (...args: string[]) => runCli(home, 'wrappers', 'generate', ...args);
const paths = [
  'typescript/client.ts',
  'typescript/index.ts',
  'typescript/mcp-memory.ts',
  'python/_client.py',
  'python/__init__.py',
  'python/mcp_memory.py',
];

describe('code-executor wrappers', () => {
  test('writes modules for the tools of the configured servers, and later only those that differ', async () => {
    await configure({ memory: memoryServer });
    const first = await generate();
    expect(first).toEqual({
      code: 0,
      stdout: [
        `9 tools in 6 files below ${join(home, 'wrappers')}, 0 unchanged`,
        ...paths.map((path) => `  wrote    ${path}`),
        '',
      ].join('\n'),
      stderr: 'code-executor: Listing the tools ...\n',
    });
    const module = join(home, 'wrappers/typescript/mcp-memory.ts');
    expect(await readFile(module, 'utf8')).toContain('createEntities');
    await writeFile(module, 'mine');
    const second = await generate('--json');
    expect(JSON.parse(second.stdout)).toEqual({
      directory: join(home, 'wrappers'),
      tools: 9,
      written: ['typescript/mcp-memory.ts'],
      unchanged: paths.filter((path) => !path.endsWith('mcp-memory.ts')),
      deleted: [],
      kept: [],
      unavailableServers: [],
    });
  });

  test('writes only the given language, and deletes the modules of servers that are no longer configured', async () => {
    await configure({ memory: memoryServer });
    await generate('--out', 'here', '--language', 'python');
    expect(await readdir(join(home, 'here'))).toEqual(['python', 'wrapper-manifest.json']);
    await configure({});
    const { stdout } = await generate('--out', 'here', '--language', 'python', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ deleted: ['python/mcp_memory.py'] });
  });

  test('keeps the modules of a server that cannot be asked, and says so', async () => {
    // The definition stays the same: with another one it would be another server, for which nothing is cached.
    const program = join(home, 'memory.mjs');
    await writeFile(program, `import ${JSON.stringify(memoryServer.args[0])};`);
    const memory = { command: process.execPath, args: [program] };
    await configure({ memory });
    await generate();
    await rm(program);
    await configure({ memory, other: dead });
    const { code, stdout, stderr } = await generate();
    expect([code, stdout]).toEqual([1, `9 tools in 6 files below ${join(home, 'wrappers')}, 6 unchanged\n`]);
    expect(stderr).toMatch(/Not all servers could be asked:\n {2}memory: .*\n {2}other: /);
    // The modules stay even if nothing is cached for the server any more.
    await rm(join(home, 'schema-cache.json'));
    const { stdout: json } = await generate('--json');
    expect(JSON.parse(json)).toMatchObject({ deleted: [], kept: [] });
    expect(await readdir(join(home, 'wrappers/typescript'))).toContain('mcp-memory.ts');
    const index = await readFile(join(home, 'wrappers/typescript/index.ts'), 'utf8');
    expect(index).toContain("from './mcp-memory.js'");
  });

  test('--server asks only the named servers, and keeps the modules of others', async () => {
    await configure({ memory: memoryServer, second: memoryServer });
    await generate();
    const read = () => readFile(join(home, 'wrappers/typescript/index.ts'), 'utf8');
    const index = await read();
    // If the command asked it now, it would report a failure.
    await configure({ memory: memoryServer, second: dead });
    await rm(join(home, 'schema-cache.json'));
    const { code, stdout } = await generate('--server', 'memory', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ tools: 9, written: [], deleted: [], unavailableServers: [] }),
    ]);
    expect(await read()).toBe(index);
    expect(index).toContain("from './mcp-second.js'");
  });

  test('prints help if no subcommand is given', async () => {
    const { code, stderr } = await runCli(home, 'wrappers');
    expect([code, stderr]).toEqual([2, expect.stringContaining('generate [options]')]);
    const { stdout } = await generate('--help');
    expect(stdout).toContain('code-executor wrappers generate --out ./src/mcp --server github memory');
  });

  test.each([
    [['--language', 'cobol'], 2, 'Allowed choices are typescript, python'],
    [['--out', '/dev/null/wrappers'], 1, 'The directory of the wrappers could not be written'],
    [['./mcp'], 2, 'too many arguments'],
    [['--server', 'githup'], 1, 'There is no server "githup"; configured: github, memory.'],
  ])('refuses %j with an explanation', async (args, code, text) => {
    await configure({ github: dead, memory: dead });
    const run = await generate(...args);
    expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(text)]);
  });
});
