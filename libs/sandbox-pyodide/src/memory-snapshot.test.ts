import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { PyodideSandbox } from './pyodide-sandbox.js';

const isolation = isolationsUnderTest()[0] ?? 'portable';

describe('The memory snapshot', () => {
  let folder: string;
  let sandbox: PyodideSandbox;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'snapshot-test-'));
  });
  afterEach(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async (code = '6 * 7') => {
    const request = { code, timeoutMs: 60_000, permissions: noPermissions, tools: fakeToolSource({}) };
    return (await sandbox.execute(request)).value;
  };
  const create = (snapshotDir?: string) => {
    sandbox = new PyodideSandbox({ isolation, spares: { count: 0 }, ...(snapshotDir && { snapshotDir }) });
  };

  test('is created once, readable only by its owner, and used again by the next sandbox', async () => {
    create(folder);
    expect(await Promise.all([run(), run(), run()])).toEqual([42, 42, 42]);
    const [name, ...others] = await readdir(folder);
    expect(others).toEqual([]);
    expect(name).toMatch(/^snapshot-[0-9a-f]{16}-[0-9a-f]{64}\.bin$/);
    const before = await stat(join(folder, name ?? ''));
    expect(before.mode & 0o777).toBe(0o600);
    await sandbox.close();
    create(folder);
    expect(await run()).toBe(42);
    expect((await stat(join(folder, name ?? ''))).ino).toBe(before.ino);
    expect((await sandbox.status()).note).toBeUndefined();
  });

  test('is replaced if it is damaged', async () => {
    create(folder);
    await run();
    await sandbox.close();
    const [name = ''] = await readdir(folder);
    const bytes = await readFile(join(folder, name));
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    await writeFile(join(folder, name), bytes);
    create(folder);
    expect(await run()).toBe(42);
    const [made = ''] = await readdir(folder);
    expect(bytes.equals(await readFile(join(folder, made)))).toBe(false);
  });

  test('is created again if it is changed or removed while it is in use', async () => {
    create(folder);
    await run();
    const [first = ''] = await readdir(folder);
    await writeFile(join(folder, first), 'no snapshot');
    expect(await Promise.all([run(), run()])).toEqual([42, 42]);
    const [second = '', ...others] = await readdir(folder);
    expect(others).toEqual([]);
    await rm(join(folder, second));
    expect(await run()).toBe(42);
    expect(await readdir(folder)).toHaveLength(1);
  });

  test('does not stop programs if it cannot be stored, and the status says why', async () => {
    // A file in place of the folder stops root too.
    const file = join(folder, 'file');
    await writeFile(file, '');
    create(join(file, 'snapshots'));
    expect(await run('from zoneinfo import ZoneInfo\nZoneInfo("Europe/Berlin").key')).toBe('Europe/Berlin');
    expect((await sandbox.status()).note).toMatch(/snapshot/);
  });

  test('does not delay a program that is cancelled', async () => {
    create(folder);
    const caller = new AbortController();
    const request = { code: '1', timeoutMs: 60_000, permissions: noPermissions, tools: fakeToolSource({}) };
    const running = sandbox.execute({ ...request, signal: caller.signal });
    caller.abort();
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    expect(await readdir(folder)).toEqual([]);
  });

  test('is removed with its sandbox if there is no folder for it', async () => {
    const before = await temporaryFolders();
    create();
    expect(await run()).toBe(42);
    const made = (await temporaryFolders()).filter((name) => !before.includes(name));
    await sandbox.close();
    const left = await temporaryFolders();
    // Another sandbox on this machine may have created its own in the meantime.
    expect(made.filter((name) => !left.includes(name))).not.toEqual([]);
  });

  test('is no longer created once the sandbox closes', async () => {
    create(folder);
    const running = run().catch(() => undefined);
    await sandbox.close();
    await running;
    expect(await readdir(folder)).toEqual([]);
  });
});

async function temporaryFolders(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith('code-executor-python-'));
}
