import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

import {
  CodeExecutorError,
  type GrantedPermissions,
  type HttpFetcher,
  type HttpRequest,
} from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { DenoSandbox } from './deno-sandbox.js';
import { withGranted } from './granted-paths.test.support.js';

describe.each(isolationsUnderTest())('permissions.read and .write (%s)', (isolation) => {
  let sandbox: DenoSandbox;
  let folder: string;
  let granted: string;
  beforeAll(() => {
    sandbox = new DenoSandbox({ isolation });
  });
  afterAll(() => sandbox.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'granted, test-'));
    granted = join(folder, 'data');
    await mkdir(join(granted, 'sub'), { recursive: true });
    await writeFile(join(granted, 'a.txt'), 'alpha');
    await writeFile(join(granted, 'sub', 'b.txt'), 'beta');
    await writeFile(join(folder, 'canary.txt'), 'CANARY');
    await mkdir(join(folder, 'dataX'));
    await writeFile(join(folder, 'dataX', 'canary.txt'), 'CANARY');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const execute = (code: string, permissions: GrantedPermissions) =>
    sandbox.execute({
      code: `const granted = ${JSON.stringify(granted)};\n${code}`,
      timeoutMs: 20_000,
      permissions,
      tools: fakeToolSource({}),
    });
  const run = (code: string, paths: { read?: string[]; write?: string[] }) =>
    withGranted(paths, (permissions) => execute(code, permissions));

  test('read lets the program list a folder and read its files', async () => {
    const code = `const names: string[] = [];
for await (const entry of Deno.readDir(granted)) names.push(entry.name + (entry.isDirectory ? '/' : ''));
const bytes = await Deno.readFile(granted + '/a.txt');
const { isFile, size } = await Deno.stat(granted + '/sub/../a.txt');
return [names.sort(), await Deno.readTextFile(granted + '/sub/b.txt'), bytes.length, isFile, size];`;
    expect((await run(code, { read: [granted] })).value).toEqual([['a.txt', 'sub/'], 'beta', 5, true, 5]);
  });

  test('read of a single file does not let the program read its neighbour', async () => {
    const code = `const read = (name: string) => Deno.readTextFile(granted + name).catch(() => 'refused');
return [await read('/a.txt'), await read('/sub/b.txt'), await read('/../canary.txt')]`;
    expect((await run(code, { read: [join(granted, 'a.txt')] })).value).toEqual([
      'alpha',
      'refused',
      'refused',
    ]);
  });

  test('read does not let the program write', async () => {
    const code = `return await Deno.writeTextFile(granted + '/a.txt', 'changed').then(() => 'written', () => 'refused')`;
    expect((await run(code, { read: [granted] })).value).toBe('refused');
    expect(await readFile(join(granted, 'a.txt'), 'utf8')).toBe('alpha');
  });

  test('write lets the program write, append, create and remove', async () => {
    const code = `await Deno.writeTextFile(granted + '/a.txt', 'new');
await Deno.writeTextFile(granted + '/a.txt', '+', { append: true });
await Deno.mkdir(granted + '/made');
await Deno.writeFile(granted + '/made/c.bin', new Uint8Array([1, 2, 3]));
await Deno.remove(granted + '/sub', { recursive: true });
return await Deno.readTextFile(granted + '/a.txt');`;
    expect((await run(code, { write: [granted] })).value).toBe('new+');
    expect(await readFile(join(granted, 'made', 'c.bin'))).toEqual(Buffer.from([1, 2, 3]));
    await expect(readFile(join(granted, 'sub', 'b.txt'))).rejects.toThrow('ENOENT');
  });

  test('write lets the program write a file of several megabytes', async () => {
    const code = `const data = new Uint8Array(5_000_000).map((_, index) => index % 251);
await Deno.writeFile(granted + '/big.bin', data);
return (await Deno.readFile(granted + '/big.bin')).every((byte, index) => byte === index % 251);`;
    expect((await run(code, { write: [granted] })).value).toBe(true);
  });

  test('never let the program out of a granted folder', async () => {
    await symlink(join(folder, 'canary.txt'), join(granted, 'link.txt'));
    await symlink(folder, join(granted, 'up'));
    await symlink('/proc/self', join(granted, 'self'));
    const code = `const out: string[] = [];
for (const path of ['/link.txt', '/up/canary.txt', '/self/root/etc/passwd', '/self/environ', '/../canary.txt', 'X/canary.txt', '/%2e%2e/canary.txt', '/sub/../../canary.txt']) {
  out.push(await Deno.readTextFile(granted + path).catch(() => 'refused'));
  await Deno.writeTextFile(granted + path, 'OVERWRITTEN').catch(() => 'refused');
}
await Deno.remove(granted + '/up', { recursive: true }).catch(() => 'refused');
return out;`;
    const { value } = await run(code, { write: [granted] });
    expect(value).toEqual(Array.from({ length: 8 }, () => 'refused'));
    expect(await readFile(join(folder, 'canary.txt'), 'utf8')).toBe('CANARY');
    expect(await readFile(join(folder, 'dataX', 'canary.txt'), 'utf8')).toBe('CANARY');
  });

  test('grant what is held open, under the name in the permission', async () => {
    const alias = join(folder, 'alias');
    await symlink(granted, alias);
    const read = (path: string) => `return await Deno.readTextFile(${JSON.stringify(join(path, 'a.txt'))})`;
    const results = await withGranted({ read: [alias] }, (ofAlias) =>
      withGranted({ read: [granted] }, async (ofFolder) => {
        // Both names lead to another folder before the processes start.
        await rename(granted, `${granted}-away`);
        await symlink(join(folder, 'dataX'), granted);
        return Promise.all([execute(read(alias), ofAlias), execute(read(granted), ofFolder)]);
      }),
    );
    expect(results).toMatchObject([{ value: 'alpha' }, { value: 'alpha' }]);
  });

  test('hide withheld files and folders inside a granted folder', async () => {
    const hidden = [
      { path: join(granted, 'a.txt'), isFolder: false },
      { path: join(granted, 'sub'), isFolder: true },
    ];
    const code = `const read = (name: string) => Deno.readTextFile(granted + name).catch((error) => error.name);
await Deno.readDir(granted + '/sub')[Symbol.asyncIterator]().next().catch(() => undefined);
return [await read('/a.txt'), await read('/sub/b.txt'), await read('/seen.txt')]`;
    await writeFile(join(granted, 'seen.txt'), 'seen');
    const { value } = await withGranted({ read: [granted] }, ({ read, ...others }) =>
      execute(code, { ...others, read: read.map((each) => ({ ...each, hidden })) }),
    );
    expect(value).toEqual([
      expect.stringMatching(/PermissionDenied|NotCapable/),
      expect.stringMatching(/PermissionDenied|NotCapable|NotFound/),
      'seen',
    ]);
    expect(await readFile(join(granted, 'a.txt'), 'utf8')).toBe('alpha');
  });

  test('do not let the program remove the granted path itself', async () => {
    const code = `return await Deno.remove(granted, { recursive: true }).then(() => 'removed', () => 'refused')`;
    expect((await run(code, { write: [granted] })).value).toBe('refused');
    expect((await stat(granted)).isDirectory()).toBe(true);
  });

  test.each(['/', '/proc', '/proc/self', '/dev/null', '/sys/kernel'])('refuse to grant %s', async (path) => {
    await expect(run('return 1', { read: [path] })).rejects.toMatchObject({
      code: 'permission_denied',
      message: `permissions.read "${path}" cannot be granted; name a folder of your own data.`,
    });
  });

  test.each([
    ['/app/scratch', 'cannot be granted; name a folder of your own data'],
    ['/proc', 'cannot be granted; name a folder of your own data'],
    ['/a/../b', 'is not an absolute path'],
    ['a', 'is not an absolute path'],
  ])('refuses to grant anything by the name %s', async (path, reason) => {
    const rename = ({ write, ...others }: GrantedPermissions) =>
      execute('return 1', { ...others, write: write.map((each) => ({ ...each, path })) });
    await expect(withGranted({ write: [granted] }, rename)).rejects.toMatchObject({
      code: 'permission_denied',
      message: `permissions.write "${path}" ${reason}.`,
    });
  });

  test('give the program a clear error for a folder that the server cannot enter', async () => {
    await chmod(join(granted, 'sub'), 0);
    const code = `return await Deno.readTextFile(granted + '/missing.txt').catch((e) => e.name)`;
    expect((await run(code, { read: [granted] })).value).toBe('NotFound');
    await chmod(join(granted, 'sub'), 0o700);
  });

  test('treat hard links as files of the folder', async () => {
    await link(join(granted, 'a.txt'), join(granted, 'hard.txt'));
    expect(
      (await run(`return await Deno.readTextFile(granted + '/hard.txt')`, { read: [granted] })).value,
    ).toBe('alpha');
  });
});

describe('permissions.net', () => {
  const sandbox = new DenoSandbox();
  afterAll(() => sandbox.close());

  const run = async (code: string, net: string[]) => {
    const asked: (HttpRequest & { allow: readonly string[] })[] = [];
    const fetcher: HttpFetcher = {
      fetch(request, { allow }) {
        asked.push({ ...request, allow });
        if (request.url.includes('private')) {
          return Promise.reject(new CodeExecutorError('permission_denied', 'Host private is not public.'));
        }
        const body = Buffer.from('{"from":"server"}');
        return Promise.resolve({
          url: 'https://api.example.com/moved',
          status: request.url.endsWith('/empty') ? 204 : 201,
          statusText: 'Created',
          headers: [['content-type', 'application/json']],
          body,
        });
      },
    };
    const permissions = { read: [], write: [], net };
    const result = await sandbox.execute({
      code,
      timeoutMs: 20_000,
      permissions,
      tools: fakeToolSource({}),
      fetcher,
    });
    return { value: result.value, error: result.error, asked };
  };

  test('fetch asks the server and passes the granted hosts', async () => {
    const code = `const response = await fetch('https://api.example.com/x?q=1', { method: 'POST', headers: { 'X-A': 'b' }, body: 'grüß' });
return [response.status, response.statusText, response.url, response.redirected, response.headers.get('content-type'), await response.json()];`;
    const { value, asked } = await run(code, ['api.example.com']);
    expect(value).toEqual([
      201,
      'Created',
      'https://api.example.com/moved',
      true,
      'application/json',
      { from: 'server' },
    ]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      url: 'https://api.example.com/x?q=1',
      method: 'POST',
      allow: ['api.example.com'],
    });
    expect(asked[0]?.headers).toContainEqual(['x-a', 'b']);
    expect(Buffer.from(asked[0]?.body ?? []).toString()).toBe('grüß');
  });

  test('fetch accepts a Request and a response without a body', async () => {
    const code = `return (await fetch(new Request('https://api.example.com/empty'))).status`;
    expect((await run(code, ['api.example.com'])).value).toBe(204);
  });

  test.each([
    ['https://private/', ['private'], 'Host private is not public.'],
    ['https://api.example.com/', [], 'Ask for the host in permissions.net'],
  ])('a refusal of %s rejects as fetch does', async (url, net, text) => {
    const code = `try { await fetch(${JSON.stringify(url)}) } catch (e) { return [e.name, e.code, e.message] }`;
    const { value } = await run(code, net);
    expect(value).toEqual(['TypeError', 'permission_denied', expect.stringContaining(text)]);
  });

  test('fetch rejects with the reason of its signal', async () => {
    const code = `return await fetch('https://api.example.com/', { signal: AbortSignal.abort(new Error('mine')) }).catch((e) => e.message)`;
    const { value, asked } = await run(code, ['api.example.com']);
    expect(value).toBe('mine');
    expect(asked).toEqual([]);
  });
});
