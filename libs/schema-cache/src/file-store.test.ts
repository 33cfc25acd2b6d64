import { execFileSync } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { recordingLogger } from '@code-executor/contracts/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { SchemaCache } from './schema-cache.js';

let folder: string;
let file: string;
let logger: ReturnType<typeof recordingLogger>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'schema-cache-'));
  file = join(folder, 'home', 'schema-cache.json');
  logger = recordingLogger();
});
afterEach(() => rm(folder, { recursive: true }));

const open = (options = {}) => new SchemaCache<unknown>({ file, logger, ...options });
const value = (data: unknown) => () => Promise.resolve(data);
const never = () => Promise.reject(new Error('not to be loaded'));
const keysOf = async (cache: SchemaCache<unknown>) => (await cache.entries()).map(({ key }) => key);
/** Stores one value under each key, as another process would. */
const keep = async (...keys: string[]) => {
  const cache = open();
  for (const key of keys) await cache.getOrLoad(key, value(`of ${key}`));
  await cache.close();
};

const unusable = 'The cache file cannot be used; it will be written anew.';
const unwritable = 'The cache cannot be written to its file; it is kept in memory only.';

describe('SchemaCache with a file', () => {
  test('opens nothing before its first use, and writes nothing without a change', async () => {
    await open().close();
    const cache = open();
    expect(await cache.entries()).toEqual([]);
    await cache.close();
    expect(await readdir(folder)).toEqual([]);
  });

  test('outlives the process, in a file that only its owner can read', async () => {
    await keep('a', '__proto__');
    const cache = open();
    expect(await cache.getOrLoad('a', never)).toBe('of a');
    expect(await cache.getOrLoad('__proto__', never)).toBe('of __proto__');
    await cache.close();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'home'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(folder, 'home'))).toEqual(['schema-cache.json']);
    expect(logger.messages).toEqual([]);
  });

  test('writes in the background, without being closed', async () => {
    const cache = open();
    await cache.getOrLoad('a', value(1));
    const written = () => readFile(file, 'utf8').catch(() => '');
    while (!(await written()).includes('"a"')) await new Promise((resolve) => setTimeout(resolve, 20));
    await cache.close();
  });

  test('keeps what another process wrote meanwhile, and does not bring back what it cleared', async () => {
    await keep('cleared');
    const first = open();
    await first.getOrLoad('cleared', never);
    const second = open();
    await second.clear();
    await second.getOrLoad('theirs', value(2));
    await second.close();
    await first.getOrLoad('ours', value(1));
    await first.close();
    expect(await keysOf(open())).toEqual(['ours', 'theirs']);
  });

  test('keeps the later of two values for one key', async () => {
    const late = open({ now: () => Date.now() + 1000 });
    const early = open();
    await early.getOrLoad('a', value('early'));
    await late.getOrLoad('a', value('late'));
    await late.close();
    await early.close();
    expect(await open().getOrLoad('a', never)).toBe('late');
  });

  test('keeps the maxEntries that were used last', async () => {
    await keep('a', 'b', 'c');
    const cache = open({ maxEntries: 2 });
    await cache.getOrLoad('b', never);
    await cache.getOrLoad('d', value(4));
    await cache.close();
    expect(await keysOf(open())).toEqual(['b', 'd']);
  });

  test('deletes and clears in the file, too', async () => {
    await keep('a', 'b');
    const deleting = open();
    await deleting.delete('a');
    await deleting.close();
    expect(await keysOf(open())).toEqual(['b']);
    const clearing = open();
    await clearing.clear();
    await clearing.close();
    expect(await keysOf(open())).toEqual([]);
  });

  test('leaves out values that are not JSON, or too large or too deep to be read again', async () => {
    const cache = open();
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    await cache.getOrLoad('loop', value(loop));
    await cache.getOrLoad('old', value('o'.repeat(20_000_000)));
    await cache.getOrLoad('new', value('n'.repeat(20_000_000)));
    let deep: unknown = 1;
    for (let level = 0; level < 198; level++) deep = [deep];
    await cache.getOrLoad('deep', value(deep));
    await cache.close();
    expect(await keysOf(open())).toEqual(['new']);
    expect(logger.messages).toEqual([]);
  });
});

const entry = { key: 'a', value: 1, storedAt: 1, expiresAt: 2 };
const asFile = (entries: unknown) => JSON.stringify({ version: 1, entries });

describe('SchemaCache with a hostile file (CFG-15)', () => {
  beforeEach(() => mkdir(join(folder, 'home')));

  /** Checks that the cache is empty, warns once, and repairs the file. */
  const expectRebuilt = async () => {
    const cache = open();
    expect(await cache.getOrLoad('x', value('new'))).toBe('new');
    await cache.close();
    expect(logger.messages).toEqual([unusable]);
    expect(await keysOf(open())).toEqual(['x']);
    expect((await lstat(file)).isFile()).toBe(true);
  };

  test.each([
    ['nothing', ''],
    ['half of it', asFile([entry]).slice(0, 40)],
    ['no JSON', 'hello'],
    ['null', 'null'],
    ['a list', '[]'],
    ['another version', '{"version":2,"entries":[]}'],
    ['entries that are no list', asFile({ a: entry })],
    ['32 MB of brackets', '['.repeat(32 * 1024 * 1024)],
    ['32 MB of empty objects', `[${'{},'.repeat(10_000_000)}{}]`],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0])],
  ])('rebuilds a file that holds %s', async (_what, text) => {
    await writeFile(file, text, { mode: 0o600 });
    await expectRebuilt();
  });

  test('rebuilds a file of 1 GB', async () => {
    await writeFile(file, '', { mode: 0o600 });
    await truncate(file, 1024 ** 3);
    await expectRebuilt();
  });

  test('replaces a link, and leaves alone what it points to', async () => {
    const target = join(folder, 'target.json');
    await writeFile(target, asFile([entry]));
    await symlink(target, file);
    await expectRebuilt();
    expect(await readFile(target, 'utf8')).toBe(asFile([entry]));
  });

  test('does not wait for a pipe', async () => {
    execFileSync('mkfifo', [file]);
    await expectRebuilt();
  });

  test.each([
    ['0602', 0o602],
    ['0620', 0o620],
  ])('takes nothing from a file that others can write (mode %s)', async (_mode, mode) => {
    await writeFile(file, asFile([entry]));
    await chmod(file, mode);
    await expectRebuilt();
  });

  test('reads a file that others can only read', async () => {
    await writeFile(file, asFile([entry]));
    await chmod(file, 0o644);
    expect(await keysOf(open())).toEqual(['a']);
  });

  test('takes the good entries among bad ones, and no key becomes a prototype', async () => {
    const text = asFile([
      null,
      7,
      { key: 'no value', storedAt: 1, expiresAt: 2 },
      { ...entry, key: 7 },
      { ...entry, key: 'k'.repeat(1001) },
      { ...entry, storedAt: '1' },
      { ...entry, expiresAt: null },
      { ...entry, key: '__proto__', value: 'proto' },
      entry,
    ]).replace('"proto"', '{"__proto__":{"polluted":true}}');
    await writeFile(file, text, { mode: 0o600 });
    const cache = open();
    expect(await keysOf(cache)).toEqual(['__proto__', 'a']);
    expect({}).not.toHaveProperty('polluted');
  });

  test('stays in memory, with one warning, if the file cannot be written', async () => {
    await mkdir(file);
    const cache = open();
    expect(await cache.getOrLoad('a', value(1))).toBe(1);
    await cache.close();
    await cache.getOrLoad('b', value(2));
    await cache.close();
    expect(await cache.getOrLoad('a', never)).toBe(1);
    expect(logger.messages).toEqual([unusable]);
  });

  test('stays in memory, with one warning, if the home cannot be created', async () => {
    await rm(join(folder, 'home'), { recursive: true });
    await writeFile(join(folder, 'home'), 'no folder');
    const cache = open();
    expect(await cache.getOrLoad('a', value(1))).toBe(1);
    await cache.close();
    await cache.getOrLoad('b', value(2));
    await cache.close();
    expect(await keysOf(cache)).toEqual(['a', 'b']);
    expect(logger.messages).toEqual([unwritable]);
  });

  test('stays in memory, with one warning, while the file cannot be written any more', async () => {
    const cache = open();
    // Before there is a change, because changes are written in the background at any moment.
    expect(await cache.entries()).toEqual([]);
    await rm(join(folder, 'home'), { recursive: true });
    await writeFile(join(folder, 'home'), 'no folder');
    await cache.getOrLoad('a', value(1));
    await cache.close();
    await cache.getOrLoad('b', value(2));
    await cache.close();
    expect(logger.messages).toEqual([unwritable]);
    await rm(join(folder, 'home'));
    await cache.getOrLoad('c', value(3));
    await cache.close();
    expect(await keysOf(open())).toEqual(['a', 'b', 'c']);
  });
});
