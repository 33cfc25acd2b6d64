import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { runCli } from '../run-cli.test.support.js';
import { usePythonHome } from './python-home.test.support.js';
import { buildWheel } from './wheel.test.support.js';

const { home, folder, python, keep, locked, names } = usePythonHome();

describe('code-executor python remove', () => {
  test('removes a package when no other needs it', async () => {
    const needy = buildWheel({ name: 'needy', metadata: ['Requires-Dist: sample'] });
    await python('add', await keep(needy), await keep(buildWheel()));
    expect(await python('remove', 'Sample')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'code-executor: Package sample is needed by needy; remove those too: code-executor python remove sample needy\n',
    });
    expect(await names()).toEqual(['needy', 'sample']);
    expect(await python('remove', 'sample', 'needy')).toMatchObject({
      code: 0,
      stdout: 'Removed sample\nRemoved needy\n',
    });
    expect(await readdir(folder())).toEqual(['pyodide-lock.json']);
    expect(await names()).toEqual([]);
  });

  test.each(['none', 'constructor', '__proto__'])('refuses %s, which is not installed', async (name) => {
    const { code, stderr } = await python('remove', name);
    expect(code).toBe(name === '__proto__' ? 2 : 1);
    expect(stderr).toMatch(/is not installed|is not a package name/);
  });
});

describe('code-executor python list', () => {
  test('shows the packages as a table and as JSON', async () => {
    const wheel = buildWheel({ name: 'needy', version: '2.0', metadata: ['Requires-Dist: sample'] });
    await python('add', await keep(wheel), await keep(buildWheel()));
    expect(await python('list')).toEqual({
      code: 0,
      stdout: [
        'Package  Version  Imports  Needs',
        'needy    2.0      needy    sample',
        'sample   1.0      sample',
        '',
      ].join('\n'),
      stderr: '',
    });
    const list = JSON.parse((await python('list', '--json')).stdout) as unknown[];
    expect(list[0]).toEqual({
      name: 'needy',
      version: '2.0',
      file: wheel.fileName,
      sha256: wheel.sha256,
      imports: ['needy'],
      depends: ['sample'],
    });
  });

  test('is empty at first, and creates nothing', async () => {
    expect(await python('list')).toMatchObject({ code: 0, stdout: '' });
    expect((await python('list', '--json')).stdout).toBe('[]\n');
    expect(await readdir(home())).toEqual([]);
  });

  test('refuses a damaged lock file', async () => {
    await mkdir(folder(), { recursive: true });
    for (const text of ['{', 'null', '{"packages":{"a":{"file_name":"../a"}}}', '{"packages":[1]}']) {
      await writeFile(join(folder(), 'pyodide-lock.json'), text);
      const { code, stderr } = await python('list');
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining('is damaged. Delete it and add the packages again.'),
      });
    }
  });

  test('says when packages were added for another Python', async () => {
    await python('add', await keep(buildWheel()));
    const { info, packages } = await locked();
    const other = {
      ...packages['sample'],
      name: 'other',
      file_name: 'other-1.0-cp312-cp312-pyodide_2024_0_wasm32.whl',
    };
    const lock = { info: { ...info, abi_version: '2024_0' }, packages: { ...packages, other } };
    await writeFile(join(folder(), 'pyodide-lock.json'), JSON.stringify(lock));
    expect((await python('list')).stderr).toContain('added for another version of Python');
    expect((await python('add', await keep(buildWheel()))).stderr).toContain(
      'Remove them first: code-executor python remove other',
    );
    expect(await python('remove', 'other')).toMatchObject({ code: 0 });
    expect(await locked()).toEqual({ info, packages });
  });
});

describe('code-executor', () => {
  test.each<[number, string[], string]>([
    [2, [], 'Usage: code-executor'],
    [2, ['pyton'], "unknown command 'pyton'"],
    [2, ['python', 'add'], 'missing required argument'],
    [2, ['python', 'add', '--indx-url', 'x', 'y'], "unknown option '--indx-url'"],
    [2, ['python', 'add', '-rf'], "unknown option '-rf'"],
    [2, ['python', 'add', 'a b'], '"a b" is not a package requirement'],
    [2, ['python', 'add', 'a==x'], '"a==x" is not a package requirement'],
    [1, ['python', 'add', '../a'], 'does not exist'],
    [1, ['python', 'list', '--config', 'none.json'], 'correct the path given with --config'],
  ])('exits with %d for %j', async (code, args, problem) => {
    expect(await runCli(home(), ...args)).toEqual({
      code,
      stdout: '',
      stderr: expect.stringContaining(problem),
    });
  });

  test.each([
    [['--help']],
    [['python', '--help']],
    [['python', 'add', '--help']],
    [['python', 'list', '-h']],
    [['python', 'remove', '-h']],
  ])('prints help for %j', async (args) => {
    const { code, stdout, stderr } = await runCli(home(), ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Usage: code-executor');
  });

  test('uses the folder that the configuration names', async () => {
    const packagesDir = join(home(), 'elsewhere');
    await writeFile(join(home(), 'c.json'), JSON.stringify({ executors: { python: { packagesDir } } }), {
      mode: 0o600,
    });
    await python('add', '--config', 'c.json', await keep(buildWheel()));
    expect((await readdir(packagesDir)).sort()).toEqual(['pyodide-lock.json', 'sample-1.0-py3-none-any.whl']);
  });
});
