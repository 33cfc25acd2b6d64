import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { runCli, startCli } from '../run-cli.test.support.js';
import { type IndexOptions, listen, type LocalIndex, serveIndex } from './local-index.test.support.js';
import { buildWheel, type TestWheel } from './wheel.test.support.js';

let home: string;
const open: { close(): Promise<void> }[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'cli-'));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
  await rm(home, { recursive: true, force: true });
});

const serve = async (wheels: TestWheel[], options?: IndexOptions): Promise<LocalIndex> => {
  const index = await serveIndex(wheels, options);
  open.push(index);
  return index;
};
const add = (indexUrl: string, ...args: string[]) =>
  runCli(home, 'python', 'add', '--index-url', indexUrl, ...args);
const folder = () => join(home, 'python', 'packages');
const added = async () => {
  const text = await readFile(join(folder(), 'pyodide-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as {
    packages: Record<string, { version: string; depends: string[] }>;
  };
  return Object.fromEntries(
    Object.entries(packages).map(([name, { version, depends }]) => [name, [version, ...depends]]),
  );
};

const tag = 'cp314-cp314-pyemscripten_2026_0_wasm32';
const indexedWheels = [
  buildWheel({ version: '1.0' }),
  buildWheel({ version: '1.9' }),
  buildWheel({ version: '1.10' }),
  buildWheel({ version: '2.0rc1' }),
  buildWheel({ version: '3.0', tag: 'cp314-cp314-win_amd64' }),
  buildWheel({
    name: 'Needy.One',
    metadata: [
      'Requires-Dist: sample (>=1.9,<1.10)',
      'Requires-Dist: windows-only; sys_platform == "win32"',
      'Requires-Dist: old ; python_version < "3.9"',
      'Requires-Dist: deep; extra == "more"',
    ],
  }),
  buildWheel({ name: 'deep', tag, metadata: ['Requires-Dist: needy-one', 'Requires-Dist: sample'] }),
];

describe.each(['json', 'html'] as const)('An index over http (%s)', (format) => {
  test('provides the newest version that fits', async () => {
    const { url, requests } = await serve(indexedWheels, { format });
    expect(await add(url, 'Sample')).toEqual({
      code: 0,
      stdout: 'Added sample 1.10\n',
      stderr: expect.stringMatching(/^Fetched sample-1\.10-py3-none-any\.whl \(0\.0 MB\)\n$/),
    });
    expect(requests).toEqual(['/simple/sample/', '/files/sample-1.10-py3-none-any.whl']);
    expect(await added()).toEqual({ sample: ['1.10'] });
  });

  test.each([
    ['sample==1.0', '1.0'],
    ['sample<1.10', '1.9'],
    ['sample ~= 1.9', '1.10'],
    ['sample==2.0rc1', '2.0rc1'],
  ])('provides for %s version %s', async (requirement, version) => {
    const { url } = await serve(indexedWheels, { format });
    await add(url, requirement);
    expect(await added()).toEqual({ sample: [version] });
  });

  test('provides what a package needs on this platform, and nothing else', async () => {
    const { url } = await serve(indexedWheels, { format });
    expect((await add(url, 'needy-one')).stdout).toBe('Added needy-one 1.0\nAdded sample 1.9\n');
    expect(await added()).toEqual({ 'needy-one': ['1.0', 'sample'], sample: ['1.9'] });
    // The installed version is suitable, so it is kept.
    expect((await add(url, 'deep')).stdout).toBe('Added deep 1.0\n');
    expect(await added()).toMatchObject({ deep: ['1.0', 'needy-one', 'sample'], sample: ['1.9'] });
  });

  test('provides extras, even for packages that need each other', async () => {
    const { url } = await serve(indexedWheels, { format });
    await add(url, 'needy-one[more]');
    expect(await added()).toEqual({
      'needy-one': ['1.0', 'deep', 'sample'],
      deep: ['1.0', 'needy-one', 'sample'],
      sample: ['1.9'],
    });
  });

  test('is refused if a wheel does not have the hash that it gives', async () => {
    const { url } = await serve(indexedWheels, { format, sha256: '0'.repeat(64) });
    const { code, stdout, stderr } = await add(url, 'sample');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(
      `sample-1.10-py3-none-any.whl is not what the index ${url}/ says it is (sha256 differs); nothing was added.`,
    );
    expect(await readdir(folder())).toEqual([]);
  });

  test('provides no version that is withdrawn or for another Python, unless it is asked for exactly', async () => {
    const { url } = await serve(indexedWheels, {
      format,
      isYanked: ({ fileName }) => fileName.includes('1.10'),
      requiresPython: ({ fileName }) => (fileName.includes('1.9') ? '<3.9' : '>=3.9'),
    });
    await add(url, 'sample');
    expect(await added()).toEqual({ sample: ['1.0'] });
    await add(url, 'sample==1.10');
    expect(await added()).toEqual({ sample: ['1.10'] });
  });

  test.each([
    ['none', 'has no wheel of none that fits: it has no wheel of that name at all.'],
    ['sample>5', 'has no wheel of sample>5 that fits: the newest versions are 3.0, 2.0rc1, 1.10.'],
    [
      'sample==3.0',
      'that fits: there is sample-3.0-cp314-cp314-win_amd64.whl, and tags must be py3-none-any, cp314-cp314-pyemscripten_2026_0_wasm32 or',
    ],
  ])('that cannot provide %s says why', async (requirement, problem) => {
    const { url } = await serve(indexedWheels, { format });
    const { code, stderr } = await add(url, requirement);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(problem) });
  });
});

describe('An index over http', () => {
  test('is the only server that gets its credentials', async () => {
    const { url } = await serve(indexedWheels, { credentials: 'me:se%cret' });
    const withPassword = url.replace('http://', 'http://me:se%25cret@');
    expect(await add(withPassword, 'sample')).toMatchObject({ code: 0 });
    const { stderr } = await add(withPassword.replace('cret', 'CRET'), 'sample');
    expect(stderr).toBe(`code-executor: ${url}/sample/ answered with 401.\n`);
    let seen: string | undefined = 'nothing yet';
    const other = await listen((request, response) => {
      seen = request.headers.authorization;
      response.writeHead(404).end();
    });
    const redirecting = await listen((_request, response) => {
      response.writeHead(302, { location: `${other.origin}/x/` }).end();
    });
    open.push(other, redirecting);
    await add(redirecting.origin.replace('http://', 'http://me:secret@'), 'sample');
    expect(seen).toBeUndefined();
  });

  test.each<[string, Parameters<typeof listen>[0], string]>([
    [
      'redirects forever',
      (_request, response) => response.writeHead(302, { location: './' }).end(),
      'redirects more than 5 times',
    ],
    [
      'redirects to a file',
      (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
      'redirects to an address that is not followed',
    ],
    ['fails', (_request, response) => response.writeHead(500).end('<b>no</b>'), 'answered with 500'],
    ['hangs up', (request) => request.socket.destroy(), 'cannot be reached'],
    [
      'sends nonsense',
      (_request, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"files":7}'),
      'is not a page of a simple index',
    ],
    [
      'offers files of this machine',
      (_request, response) => response.end('<a href="file:///tmp/sample-1.0-py3-none-any.whl">x</a>'),
      'has no wheel of that name at all',
    ],
    [
      'offers names with paths',
      (_request, response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ files: [{ filename: '../sample-1.0-py3-none-any.whl', url: 'x' }] })),
      'has no wheel of that name at all',
    ],
    ['sends an endless page', (_request, response) => endless(response), 'is larger than 16 MB'],
  ])('that %s is reported', async (_what, listener, problem) => {
    const server = await listen(listener);
    open.push(server);
    const { code, stderr } = await add(server.origin, 'sample');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(problem) });
  });

  /** A command that locks the folder and waits for an index that never answers. */
  async function startWaiting() {
    let asked: () => void = () => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const silent = await listen(() => asked());
    open.push(silent);
    const started = startCli(home, {}, 'python', 'add', '--index-url', silent.origin, 'sample');
    await isAsked;
    expect(await readdir(folder())).toEqual(['.lock']);
    return started;
  }

  test('that never answers locks the folder until the command gets a signal', async () => {
    const { process: child, ended } = await startWaiting();
    const other = await runCli(home, 'python', 'remove', 'sample');
    expect(other.stderr).toContain(
      `Process ${child.pid ?? ''} is changing the packages in ${folder()}. Wait`,
    );
    child.kill('SIGINT');
    expect(await ended).toEqual({
      code: 1,
      stdout: '',
      stderr: 'code-executor: Ended by SIGINT; nothing was changed.\n',
    });
    expect(await readdir(folder())).toEqual([]);
  });

  test('that never answers locks the folder no longer than the command runs, even if it is killed', async () => {
    const { process: child, ended } = await startWaiting();
    child.kill('SIGKILL');
    await ended;
    expect(await readdir(folder())).toEqual(['.lock']);
    const other = await runCli(home, 'python', 'remove', 'sample');
    expect(other.stderr).not.toContain('is changing the packages');
    expect(await readdir(folder())).not.toContain('.lock');
  });

  test('can be set in the configuration', async () => {
    const { url } = await serve(indexedWheels);
    await writeFile(join(home, 'config.json'), JSON.stringify({ executors: { python: { indexUrl: url } } }), {
      mode: 0o600,
    });
    expect(await runCli(home, 'python', 'add', 'sample')).toMatchObject({ code: 0 });
  });

  test.each(['ftp://example.com/', 'http://', 'file://elsewhere/x'])('cannot be %s', async (url) => {
    expect((await add(url, 'sample')).stderr).toContain(
      'The index is neither an http:, https: or file: URL nor a folder',
    );
  });
});

describe('A folder of wheels', () => {
  test('is an index, given as a path or as a URL', async () => {
    const wheels = join(home, 'wheels');
    await mkdir(wheels);
    for (const { fileName, bytes } of indexedWheels) await writeFile(join(wheels, fileName), bytes);
    await writeFile(join(wheels, 'README.md'), 'not a wheel');
    expect((await add('wheels', 'sample')).stdout).toBe('Added sample 1.10\n');
    expect((await add(pathToFileURL(wheels).href, 'needy-one')).stderr).toContain(
      'needy-one needs sample>=1.9,<1.10, but the version would be 1.10. Add a version that suits all, such as code-executor python add "sample>=1.9,<1.10".',
    );
    expect((await add(wheels, 'needy-one', 'sample<1.10')).stdout).toBe(
      'Added needy-one 1.0\nAdded sample 1.9\n',
    );
  });

  test('must exist', async () => {
    expect((await add('nowhere', 'sample')).stderr).toContain('nowhere cannot be read (ENOENT)');
  });
});

function endless(response: {
  write(chunk: string): boolean;
  once(event: 'drain', then: () => void): unknown;
}): void {
  const chunk = ' '.repeat(1024 * 1024);
  while (response.write(chunk));
  response.once('drain', () => endless(response));
}
