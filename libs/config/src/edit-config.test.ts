import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { type ConfigEdit, editConfig } from './edit-config.js';
import { loadConfig } from './load-config.js';

let root: string;
let file: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'edit-config-')));
  file = join(root, '.code-executor.json');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const places = () => ({ cwd: root, home: root, env: {} });
const port = (value?: number): ConfigEdit => ({ path: ['http', 'port'], value });
const edit = (...edits: ConfigEdit[]) => editConfig(() => edits, places());
const noWindows = process.platform === 'win32' ? test.skip : test;

describe('editConfig', () => {
  noWindows('keeps comments, layout and rights, and replaces the file as a whole', async () => {
    const text = '{\n  // The door.\n  "http": { "port": 1 }, // here\n}\n';
    await writeFile(file, text);
    await chmod(file, 0o640);
    await link(file, join(root, 'before'));
    expect(await edit(port(4444))).toBe(file);
    expect(await readFile(file, 'utf8')).toBe(text.replace('1', '4444'));
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect(await readFile(join(root, 'before'), 'utf8')).toBe(text);
    expect((await readdir(root)).sort()).toEqual(['.code-executor.json', 'before']);
  });

  noWindows('makes the file in the home of the product, for its user only', async () => {
    const home = join(root, '.code-executor');
    expect(await edit(port(4444))).toBe(join(home, 'config.json'));
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    expect((await stat(join(home, 'config.json'))).mode & 0o777).toBe(0o600);
    expect((await loadConfig(places())).config).toEqual({ http: { port: 4444 } });
  });

  test('passes the content of the file to the plan, and changes nothing if the plan throws', async () => {
    await writeFile(file, '{"http":{"port":3}}');
    const reason = new Error('no');
    const failing = editConfig(
      (config) => {
        expect(config).toEqual({ http: { port: 3 } });
        throw reason;
      },
      { ...places(), env: { LOG_LEVEL: 'debug' } },
    );
    await expect(failing).rejects.toBe(reason);
    expect(await readFile(file, 'utf8')).toBe('{"http":{"port":3}}');
    expect(await readdir(root)).toEqual(['.code-executor.json']);
  });

  test.each([
    ['a broken file', '{"http":', port(3), /line 1.*not valid JSON/],
    ['a file that is not valid', '{"htpp":{}}', port(3), /did you mean http\?/],
    ['a value that is not valid', '{}', port(0), /http\.port is the number 0/],
    ['a name that is dangerous', '{}', { path: ['http', 'clients', '__proto__'], value: 1 }, /__proto__/],
  ])('refuses %s and leaves it unchanged', async (_, text, change, message) => {
    await writeFile(file, text);
    await expect(edit(change)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(message),
    });
    expect(await readFile(file, 'utf8')).toBe(text);
    expect(await readdir(root)).toEqual(['.code-executor.json']);
  });

  test('loses none of many concurrent changes', async () => {
    await writeFile(file, '{ "policy": { "servers": {} } }\n');
    const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
    await Promise.all(
      names.map((name) => edit({ path: ['policy', 'servers', name], value: { allow: ['*'] } })),
    );
    const { config } = await loadConfig(places());
    expect(Object.keys(config.policy?.servers ?? {}).sort()).toEqual(names.sort());
  });

  test('follows a folder that is a link', async () => {
    await mkdir(join(root, 'real'));
    await writeFile(join(root, 'real', 'config.json'), '{}');
    await symlink(join(root, 'real'), join(root, 'linked'), 'junction');
    const through = { ...places(), file: join(root, 'linked', 'config.json') };
    expect(await editConfig(() => [port(3)], through)).toBe(join(root, 'real', 'config.json'));
  });

  noWindows('a link in the place of the file is refused, as when it is read', async () => {
    await writeFile(join(root, 'real.json'), '{}');
    await symlink(join(root, 'real.json'), file);
    await expect(edit(port(3))).rejects.toMatchObject({ code: 'failed_precondition' });
    expect(await readFile(join(root, 'real.json'), 'utf8')).toBe('{}');
  });

  test('waits for other processes', async () => {
    await writeFile(file, '{}');
    await writeFile(`${file}.lock`, '');
    const waiting = edit(port(3));
    await rm(`${file}.lock`);
    expect(await waiting).toBe(file);
    expect(await readFile(file, 'utf8')).toContain('3');
  });
});
