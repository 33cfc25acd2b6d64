import { link, lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';
import { CodeExecutorError, type ToolSchema } from '@code-executor/contracts';

import { generateWrappers } from './generate-wrappers.js';
import { pythonWrappers } from './python-wrappers.js';
import { typeScriptWrappers } from './typescript-wrappers.js';
import { hashOf } from './wrapper-file.js';
import { writeWrappers } from './write-wrappers.js';
import { inFolder, toolOf } from './wrappers.test.kit.js';

const x = toolOf('x', 'run');
const y = toolOf('y', 'run');
const own = ['typescript/client.ts', 'typescript/index.ts', 'typescript/mcp-x.ts'];
const manifestOf = async (folder: string) =>
  JSON.parse(await readFile(join(folder, 'wrapper-manifest.json'), 'utf8')) as {
    files: Record<string, string>;
  };

/** Code and message of the error with which a call rejects. */
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no failure',
    (error: unknown) => (CodeExecutorError.is(error) ? `${error.code}: ${error.message}` : String(error)),
  );

describe('writeWrappers', () => {
  test('writes files that differ, and deletes files of servers that no longer exist', () =>
    inFolder(async (folder) => {
      const directory = join(folder, 'new', 'wrappers');
      const both = [...generateWrappers([x], typeScriptWrappers), ...generateWrappers([x], pythonWrappers)];
      const all = both.map(({ path }) => path);
      const changes = { written: [], unchanged: [], deleted: [], kept: [] };
      expect(await writeWrappers(directory, both)).toEqual({ ...changes, written: all });
      for (const { path, content } of both)
        expect(await readFile(join(directory, path), 'utf8')).toBe(content);
      await writeFile(join(folder, 'plain'), '', { mode: 0o644 });
      const { mode } = await lstat(join(folder, 'plain'));
      expect(await lstat(join(directory, 'typescript/index.ts'))).toMatchObject({ mode });
      expect((await manifestOf(directory)).files).toEqual(
        Object.fromEntries(both.map(({ path, hash }) => [path, hash])),
      );
      const times = async () =>
        Promise.all(all.map(async (path) => (await lstat(join(directory, path))).ino));
      const before = await times();
      expect(await writeWrappers(directory, both)).toEqual({ ...changes, unchanged: all });
      expect(await times()).toEqual(before);

      expect(await writeWrappers(directory, generateWrappers([y], typeScriptWrappers))).toEqual({
        ...changes,
        written: ['typescript/index.ts', 'typescript/mcp-y.ts'],
        unchanged: ['typescript/client.ts'],
        deleted: ['typescript/mcp-x.ts'],
      });
      expect((await readdir(join(directory, 'typescript'))).sort()).toEqual([
        'client.ts',
        'index.ts',
        'mcp-y.ts',
      ]);
      expect(await readdir(join(directory, 'python'))).toHaveLength(3);
      expect(Object.keys((await manifestOf(directory)).files)).toHaveLength(6);
    }));

  test('restores edited files, and keeps them once their server no longer exists', () =>
    inFolder(async (folder) => {
      const files = generateWrappers([x], typeScriptWrappers);
      await writeWrappers(folder, files);
      await writeFile(join(folder, 'typescript/mcp-x.ts'), 'mine');
      expect((await writeWrappers(folder, files)).written).toEqual(['typescript/mcp-x.ts']);
      await writeFile(join(folder, 'typescript/mcp-x.ts'), 'mine');
      await writeFile(join(folder, 'typescript/mcp-other.ts'), 'mine too');
      expect(await writeWrappers(folder, generateWrappers([], typeScriptWrappers))).toMatchObject({
        deleted: [],
        kept: ['typescript/mcp-x.ts'],
      });
      expect(await readFile(join(folder, 'typescript/mcp-x.ts'), 'utf8')).toBe('mine');
      expect(await readFile(join(folder, 'typescript/mcp-other.ts'), 'utf8')).toBe('mine too');
    }));

  test('WRP-09: replaces links in place of files, and does not touch their targets', () =>
    inFolder(async (folder) => {
      const canary = join(folder, 'canary');
      await writeFile(canary, 'alive');
      const out = join(folder, 'out');
      await mkdir(join(out, 'typescript'), { recursive: true });
      for (const path of own.slice(0, 2)) await symlink(canary, join(out, path));
      await link(canary, join(out, 'typescript/mcp-x.ts'));
      await symlink(canary, join(out, 'wrapper-manifest.json'));
      const { written } = await writeWrappers(out, generateWrappers([x], typeScriptWrappers));
      expect(written).toEqual(own);
      expect(await readFile(canary, 'utf8')).toBe('alive');
      for (const path of [...own, 'wrapper-manifest.json']) {
        expect((await lstat(join(out, path))).isFile()).toBe(true);
      }
      expect((await readdir(join(out, 'typescript'))).sort()).toEqual(['client.ts', 'index.ts', 'mcp-x.ts']);
    }));

  test('WRP-09: refuses a link in place of a folder, also when a file is to be deleted', () =>
    inFolder(async (folder) => {
      const elsewhere = join(folder, 'elsewhere');
      const out = join(folder, 'out');
      await mkdir(elsewhere);
      await mkdir(out);
      await symlink(elsewhere, join(out, 'typescript'));
      expect(await failureOf(writeWrappers(out, generateWrappers([x], typeScriptWrappers)))).toBe(
        'failed_precondition: Wrappers are not written to typescript, because it is a link to another place; remove it.',
      );
      expect(await readdir(elsewhere)).toEqual([]);

      const canary = join(folder, 'mcp-x.py');
      await writeFile(canary, 'alive');
      await writeWrappers(out, generateWrappers([y], pythonWrappers));
      await symlink(canary, join(out, 'python/mcp_x.py'));
      const files = { 'python/mcp_x.py': hashOf('alive') };
      await writeFile(join(out, 'wrapper-manifest.json'), JSON.stringify({ version: 1, files }));
      expect((await writeWrappers(out, generateWrappers([y], pythonWrappers))).deleted).toEqual([]);
      expect(await readFile(canary, 'utf8')).toBe('alive');
    }));

  test('WRP-11: deletes nothing if the manifest points elsewhere', () =>
    inFolder(async (folder) => {
      const out = join(folder, 'out');
      const outside = [
        'canary',
        '../canary',
        'out/typescript/sub/mcp-x.ts',
        'out/typescript/mine.ts',
        'out/canary',
      ];
      await mkdir(join(out, 'typescript/sub'), { recursive: true });
      for (const path of outside.filter((one) => !one.startsWith('..')))
        await writeFile(join(folder, path), 'alive');
      const hash = hashOf('alive');
      const paths = [
        '../canary',
        'typescript/../../canary',
        'typescript/sub/mcp-x.ts',
        'typescript/mine.ts',
        'canary',
        join(folder, 'canary'),
        'typescript\\..\\..\\canary',
        'typescript/mcp-x.ts/../../canary',
        '__proto__',
        '',
      ];
      await writeFile(
        join(out, 'wrapper-manifest.json'),
        JSON.stringify({ version: 1, files: Object.fromEntries(paths.map((path) => [path, hash])) }),
      );
      expect((await writeWrappers(out, generateWrappers([x], typeScriptWrappers))).deleted).toEqual([]);
      for (const path of outside.filter((one) => !one.startsWith('..'))) {
        expect(await readFile(join(folder, path), 'utf8')).toBe('alive');
      }
      expect(Object.keys((await manifestOf(out)).files)).toEqual(own);
    }));

  test.each(['', 'null', '[]', '{"files":null}', '{"files":{"typescript/mcp-y.ts":7}}', '{', '"a"'])(
    'WRP-11: replaces the invalid manifest %j',
    (text) =>
      inFolder(async (folder) => {
        await mkdir(join(folder, 'typescript'));
        await writeFile(join(folder, 'typescript/mcp-y.ts'), 'alive');
        await writeFile(join(folder, 'wrapper-manifest.json'), text);
        expect(await writeWrappers(folder, generateWrappers([x], typeScriptWrappers))).toMatchObject({
          written: own,
          deleted: [],
        });
        expect(await readFile(join(folder, 'typescript/mcp-y.ts'), 'utf8')).toBe('alive');
        expect(Object.keys((await manifestOf(folder)).files)).toEqual(own);
      }),
  );

  const keepsOthers = { keepsOthers: true };
  const indexes = (folder: string) =>
    Promise.all(
      ['typescript/index.ts', 'python/__init__.py'].map((path) => readFile(join(folder, path), 'utf8')),
    );
  const inBoth = (...tools: ToolSchema[]) => [
    ...generateWrappers(tools, typeScriptWrappers),
    ...generateWrappers(tools, pythonWrappers),
  ];

  test('keeps the modules of other servers, and exports them from the index', () =>
    inFolder(async (folder) => {
      const [alone, together] = [join(folder, 'alone'), join(folder, 'together')];
      await writeWrappers(together, inBoth(x, y));
      await writeWrappers(alone, inBoth(y));
      const { deleted, kept } = await writeWrappers(alone, inBoth(x), keepsOthers);
      expect([deleted, kept]).toEqual([[], []]);
      expect(await indexes(alone)).toEqual(await indexes(together));
      expect(await manifestOf(alone)).toEqual(await manifestOf(together));
      // A missing module is not exported, and without the option the modules are deleted.
      await rm(join(alone, 'typescript/mcp-y.ts'));
      await writeWrappers(alone, inBoth(x), keepsOthers);
      const [typeScript, python] = await indexes(alone);
      expect([typeScript?.includes('mcp-y'), python?.includes('mcp_y')]).toEqual([false, true]);
      expect((await writeWrappers(alone, inBoth(x))).deleted).toEqual(['python/mcp_y.py']);
      await writeWrappers(together, inBoth(x));
      expect(await indexes(alone)).toEqual(await indexes(together));
    }));

  test('keeps the modules of other servers separately for each language', () =>
    inFolder(async (folder) => {
      await writeWrappers(folder, inBoth(y));
      const before = await readFile(join(folder, 'python/__init__.py'), 'utf8');
      await writeWrappers(folder, generateWrappers([x], typeScriptWrappers), keepsOthers);
      const [typeScript, python] = await indexes(folder);
      expect(typeScript).toContain("export { y } from './mcp-y.js';");
      expect(python).toBe(before);
    }));

  test.each([
    ['a-b', 'a.b'],
    ['aB', 'a_b'],
  ])('refuses to add a server if %s and %s have the same name in code', (first, second) =>
    inFolder(async (folder) => {
      const tools = [first, second].map((server) => toolOf(server, 'run'));
      await writeWrappers(folder, generateWrappers(tools.slice(0, 1), typeScriptWrappers));
      const before = await readFile(join(folder, 'typescript/index.ts'), 'utf8');
      expect(
        await failureOf(
          writeWrappers(folder, generateWrappers(tools.slice(1), typeScriptWrappers), keepsOthers),
        ),
      ).toBe(
        `failed_precondition: The servers "${second}" and "${first}" have the same name in code; generate the wrappers of both at once, or name another directory.`,
      );
      expect(await readFile(join(folder, 'typescript/index.ts'), 'utf8')).toBe(before);
      const { written } = await writeWrappers(
        folder,
        generateWrappers(tools, typeScriptWrappers),
        keepsOthers,
      );
      expect(written).toContain('typescript/index.ts');
    }),
  );

  test('WRP-11: a manifest cannot put code into the index', () =>
    inFolder(async (folder) => {
      await writeWrappers(folder, generateWrappers([y], typeScriptWrappers));
      const manifest = await manifestOf(folder);
      const identifier = "y } from './mcp-y.js'; evil(); export { y as z";
      const modules = { 'typescript/mcp-y.ts': { server: 'y', identifier } };
      await writeFile(join(folder, 'wrapper-manifest.json'), JSON.stringify({ ...manifest, modules }));
      await writeWrappers(folder, generateWrappers([x], typeScriptWrappers), keepsOthers);
      expect(await readFile(join(folder, 'typescript/index.ts'), 'utf8')).not.toContain('evil');
      expect(await readdir(join(folder, 'typescript'))).toContain('mcp-y.ts');
    }));

  test('refuses paths that are not those of wrappers', () =>
    inFolder(async (folder) => {
      const file = { path: '../evil.ts', form: typeScriptWrappers, content: 'x', hash: hashOf('x') };
      await expect(writeWrappers(folder, [file])).rejects.toMatchObject({ code: 'invalid_argument' });
      expect(await readdir(folder)).toEqual([]);
    }));

  test('names a file that cannot be written, leaves no partial file, and reveals no path of the machine', () =>
    inFolder(async (folder) => {
      await mkdir(join(folder, 'typescript/index.ts/full'), { recursive: true });
      expect(await failureOf(writeWrappers(folder, generateWrappers([x], typeScriptWrappers)))).toBe(
        'failed_precondition: typescript/index.ts could not be written (EISDIR); check its permissions and the free disk space, or name another directory.',
      );
      expect((await readdir(join(folder, 'typescript'))).sort()).toEqual(['client.ts', 'index.ts']);
    }));
});
