import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';
import { PyodideSandbox } from '@code-executor/sandbox-pyodide';
import { describe, expect, test } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';

import { usePythonHome } from './python-home.test.support.js';
import { buildWheel, type TestWheel } from './wheel.test.support.js';

const { home, folder, python, keep, locked, names } = usePythonHome();

describe('code-executor python add FILE', () => {
  test('records the wheel as Pyodide does', async () => {
    const wheel = buildWheel({
      name: 'Sample_Pkg',
      files: { 'one/__init__.py': '', 'two.py': '', 'three/a/b.py': '', 'x.txt': '' },
    });
    expect(await python('add', await keep(wheel))).toEqual({
      code: 0,
      stdout: 'Added sample-pkg 1.0\n',
      stderr: '',
    });
    const { info, packages } = await locked();
    expect(info).toMatchObject({ arch: 'wasm32', python: expect.stringMatching(/^3\.\d+\.\d+$/) });
    expect(packages).toEqual({
      'sample-pkg': {
        name: 'sample-pkg',
        version: '1.0',
        file_name: 'Sample_Pkg-1.0-py3-none-any.whl',
        install_dir: 'site',
        sha256: wheel.sha256,
        package_type: 'package',
        imports: ['one', 'three', 'two'],
        depends: [],
        unvendored_tests: false,
      },
    });
    expect((await readdir(folder())).sort()).toEqual([wheel.fileName, 'pyodide-lock.json']);
    expect(await readFile(join(folder(), wheel.fileName))).toEqual(Buffer.from(wheel.bytes));
  });

  test('takes the imports from top_level.txt if the wheel has one', async () => {
    const files = {
      'a/__init__.py': '',
      'b/__init__.py': '',
      'sample-1.0.dist-info/top_level.txt': 'b\n../c\n\n',
    };
    await python('add', await keep(buildWheel({ files })));
    expect((await locked()).packages['sample']?.imports).toEqual(['b']);
  });

  test('adds wheels that need each other, and replaces an older version', async () => {
    const needy = buildWheel({ name: 'needy', metadata: ['Requires-Dist: sample>=1'] });
    const files = [await keep(needy), await keep(buildWheel())];
    expect(await python('add', ...files)).toMatchObject({
      code: 0,
      stdout: 'Added needy 1.0\nAdded sample 1.0\n',
    });
    await python('add', await keep(buildWheel({ version: '1.1' })));
    const { packages } = await locked();
    expect(packages['needy']?.depends).toEqual(['sample']);
    expect(packages['sample']?.version).toBe('1.1');
    expect((await readdir(folder())).sort()).toEqual([
      'needy-1.0-py3-none-any.whl',
      'pyodide-lock.json',
      'sample-1.1-py3-none-any.whl',
    ]);
  });

  test('refuses a version that another package cannot use', async () => {
    const needy = buildWheel({ name: 'needy', metadata: ['Requires-Dist: sample<2'] });
    await python('add', await keep(needy), await keep(buildWheel()));
    const { code, stderr } = await python('add', await keep(buildWheel({ version: '2.0' })));
    expect(code).toBe(1);
    expect(stderr).toContain('needy needs sample<2, but the version would be 2.0.');
    expect((await locked()).packages['sample']?.version).toBe('1.0');
  });

  test.each<[string, () => TestWheel, string]>([
    [
      'that is not a zip file',
      () => ({ ...buildWheel(), bytes: strToU8('no zip') }),
      'is damaged or not a wheel; nothing was added.',
    ],
    [
      'that is truncated',
      () => ({ ...buildWheel(), bytes: buildWheel().bytes.subarray(0, -30) }),
      'is damaged or not a wheel',
    ],
    ['with a flipped bit', flipped, 'is damaged'],
    [
      'for another machine',
      () => buildWheel({ tag: 'cp314-cp314-manylinux_2_17_x86_64' }),
      'does not fit: its tags must be py3-none-any, cp314-cp314-pyemscripten_',
    ],
    [
      'for another Python',
      () => buildWheel({ metadata: ['Requires-Python: <3.9'] }),
      'needs Python <3.9, but this is 3.14.',
    ],
    [
      'that leaves its folder',
      () => buildWheel({ files: { '../evil.py': '' } }),
      'has a file named "../evil.py"',
    ],
    ['with an absolute path', () => buildWheel({ files: { '/evil.py': '' } }), 'has a file named "/evil.py"'],
    [
      'with a Windows path',
      () => buildWheel({ files: { 'a\\..\\evil.py': '' } }),
      'has a file named "a\\\\..\\\\evil.py"',
    ],
    [
      'whose metadata has another name',
      () => ({ ...buildWheel(), fileName: 'other-1.0-py3-none-any.whl' }),
      'contains the metadata of "sample 1.0"',
    ],
    [
      'whose file name is not a wheel name',
      () => ({ ...buildWheel(), fileName: 'sample.whl' }),
      'is not named like a wheel',
    ],
    [
      'without METADATA',
      () => ({ ...buildWheel(), bytes: zipSync({ 'a-1.dist-info/RECORD': strToU8('') }) }),
      'has no METADATA',
    ],
    ['without RECORD', () => ({ ...buildWheel(), bytes: zipSync({ 'a.py': strToU8('') }) }), 'has no RECORD'],
    ['whose files overlap', () => ({ ...buildWheel(), bytes: overlapping(20) }), 'has files that overlap'],
    [
      'with a requirement that is not a name',
      () => buildWheel({ metadata: ['Requires-Dist: ../x'] }),
      '"../x" is not a package requirement',
    ],
    [
      'with a requirement that is a URL',
      () => buildWheel({ metadata: ['Requires-Dist: x @ https://x.example/x.whl'] }),
      'is not a package requirement',
    ],
  ])('refuses a wheel %s', async (_what, wheel, problem) => {
    const { code, stdout, stderr } = await python('add', await keep(wheel()));
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(problem),
    });
    expect(await readdir(folder())).toEqual([]);
  });

  test('changes nothing when one of several packages is refused', async () => {
    await python('add', await keep(buildWheel()));
    const before = await locked();
    const good = await keep(buildWheel({ name: 'good' }));
    expect((await python('add', good, join(home(), 'none.whl'))).stderr).toContain('none.whl does not exist');
    expect(await locked()).toEqual(before);
    expect((await readdir(folder())).length).toBe(2);
  });

  test('says when a required package is not available anywhere', async () => {
    const { code, stderr } = await python(
      'add',
      await keep(buildWheel({ metadata: ['Requires-Dist: other>=2'] })),
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^code-executor: The index Pyodide [\d.]+ has no wheel of other>=2 that fits: .* It is needed by sample\.$/m,
    );
  });

  test('several runs at the same time lose nothing', async () => {
    const files = await Promise.all(['a1', 'b1', 'c1'].map((name) => keep(buildWheel({ name }))));
    const runs = await Promise.all(files.map((file) => python('add', file)));
    const done = ['a1', 'b1', 'c1'].filter((_name, index) => runs[index]?.code === 0);
    expect(done.length).toBeGreaterThan(0);
    expect(await names()).toEqual(done);
    for (const { code, stderr } of runs)
      if (code !== 0) expect(stderr).toContain('is changing the packages in');
    expect(await readdir(folder())).not.toContain('.lock');
  });

  test.each(isolationsUnderTest())('adds a package that programs can import (%s)', async (isolation) => {
    const needy = buildWheel({
      name: 'needy',
      files: { 'needy.py': 'from sample import answer\ndouble = 2 * answer\n' },
      metadata: ['Requires-Dist: sample'],
    });
    await python('add', await keep(needy), await keep(buildWheel()));
    // Shared with the sandbox's own tests: it takes seconds to make.
    const cache = new URL('../../../../node_modules/.cache/code-executor-python', import.meta.url);
    const snapshotDir = fileURLToPath(cache);
    const sandbox = new PyodideSandbox({
      isolation,
      snapshotDir,
      packagesDir: folder(),
      spares: { count: 0 },
    });
    const run = (code: string) =>
      sandbox.execute({ code, timeoutMs: 30_000, permissions: noPermissions, tools: fakeToolSource({}) });
    try {
      expect(await run('import needy\nneedy.double')).toMatchObject({
        status: 'succeeded',
        value: 84,
        stderr: '',
      });
      await python('remove', 'needy');
      expect(await run('import needy')).toMatchObject({ status: 'failed', error: { code: 'user_error' } });
    } finally {
      await sandbox.close();
    }
  });
});

/** A wheel with one flipped bit in a file, which unzipping does not notice. */
function flipped(): TestWheel {
  const content = 'answer = 42 # '.padEnd(200, 'not compressible: 0123456789');
  const wheel = buildWheel({ files: { 'sample.py': content } });
  const other = buildWheel({ files: { 'sample.py': content.replace('42', '43') } });
  const at = wheel.bytes.findIndex((byte, index) => byte !== other.bytes[index] && index > 40);
  const bytes = Uint8Array.from(wheel.bytes);
  bytes[at] = other.bytes[at] ?? 0;
  return { ...wheel, bytes };
}

/** A zip file with `count` names for the same bytes. */
function overlapping(count: number): Uint8Array {
  const zip = Buffer.from(zipSync({ a: randomBytes(10_000) }));
  const directory = zip.lastIndexOf('PK\u0001\u0002', undefined, 'latin1');
  const end = zip.lastIndexOf('PK\u0005\u0006', undefined, 'latin1');
  const entries = Array.from({ length: count }, (_, n) => {
    const entry = Buffer.from(zip.subarray(directory, end));
    // The name follows after 46 bytes.
    entry.write(String.fromCharCode(0x61 + n), 46);
    return entry;
  });
  const tail = Buffer.from(zip.subarray(end));
  for (const offset of [8, 10]) tail.writeUInt16LE(count, offset);
  tail.writeUInt32LE(count * (end - directory), 12);
  return Buffer.concat([zip.subarray(0, directory), ...entries, tail]);
}
