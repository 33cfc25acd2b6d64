import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { findDeno } from '@code-executor/deno-runtime';
import { expect } from '@jest/globals';

import { createHome, environmentOf, removeHome } from '../server-under-test/home.js';
import { type StartedServer } from '../server-under-test/started-server.js';
import { until } from '../server-under-test/until.js';
import { sparesOf } from './sandbox.js';
import { alone, overStdio } from './effect-check.js';
import { noSpares } from './upstream.js';

const sandbox = { spares: noSpares };

async function toolsOf(server: StartedServer): Promise<string[]> {
  return (await server.client.listTools()).tools.map(({ name }) => name);
}

/** Puts a package into the lock file whose file is not a wheel. */
async function putPackage(folder: string): Promise<void> {
  const require = createRequire(import.meta.url);
  const { info } = require('pyodide/pyodide-lock.json') as { info: object };
  const shown = {
    ...{ name: 'shown', version: '1.0', file_name: 'shown-1.0-py3-none-any.whl', install_dir: 'site' },
    ...{ sha256: '0'.repeat(64), package_type: 'package', imports: ['shown'], depends: [] },
  };
  await mkdir(folder);
  await writeFile(join(folder, shown.file_name), 'no wheel');
  await writeFile(join(folder, 'pyodide-lock.json'), JSON.stringify({ info, packages: { shown } }));
}

/** Only the command line reads this key. */
async function showIndexUrl(): Promise<void> {
  const home = await createHome({
    '.code-executor.json': JSON.stringify({ executors: { python: { indexUrl: './no-such-index' } } }),
  });
  const cli = dirname(createRequire(import.meta.url).resolve('@code-executor/cli/package.json'));
  const args = [join(cli, 'bin/code-executor.js'), 'python', 'add', 'anything'];
  const child = spawn(process.execPath, args, { cwd: home, env: environmentOf(home) });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  await removeHome(home);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/no-such-index.*executors\.python\.indexUrl/)]);
}

export const executorChecks = [
  // One server for all of Python: the first program takes long because its snapshot does not exist yet.
  overStdio({
    config: {
      executors: { typescript: { enabled: false }, python: { memoryMb: 1024, packagesDir: 'packages' } },
      sandbox: { spares: { python: 2 } },
    },
    shows: {
      'executors.typescript.enabled': async (server) =>
        expect(await toolsOf(server)).toEqual(['executePython', 'health']),
      'executors.python.memoryMb': async (server) => {
        const { result } = await server.runIn('python', 'len(bytearray(500_000_000))');
        expect(result).toBe(500_000_000);
      },
      'sandbox.spares.python': async (server) => {
        await server.runIn('python', '1');
        await until(async () => (await sparesOf(server, 'python')) === 2);
      },
      'executors.python.packagesDir': async (server) => {
        await putPackage(join(server.home, 'packages'));
        const { stderr } = await server.runIn(
          'python',
          'try:\n    import shown\nexcept ImportError:\n    pass',
        );
        expect(stderr).toBe(
          'Packages were not loaded: shown is not the file that was added; add it again: code-executor python add shown\n',
        );
      },
    },
  }),
  overStdio({
    config: {
      executors: { typescript: { heapMb: 40, memoryMb: 800 }, python: { enabled: false } },
      sandbox,
    },
    shows: {
      'executors.python.enabled': async (server) =>
        expect(await toolsOf(server)).toEqual(['executeTypescript', 'health']),
      'executors.typescript.heapMb': async (server) => {
        const code = 'return Array.from({ length: 80 }, () => new Array(131072).fill(0.5)).length';
        expect((await server.run(code)).errorCode).toBe('out_of_memory');
      },
      'executors.typescript.memoryMb': async (server) => {
        const code = 'return Array.from({ length: 40 }, () => new Uint8Array(1e7).fill(1)).length';
        expect((await server.run(code)).result).toBe(40);
      },
    },
  }),
  overStdio({
    config: { executors: { typescript: { denoPath: 'no-such-deno' } }, sandbox },
    instead: { 'executors.typescript.denoPath': await findDeno() },
    shows: {
      'executors.typescript.denoPath': async (server) => {
        const { error } = await server.run('return 1');
        expect(error).toContain('(executors.typescript.denoPath) names a file that cannot be run as Deno');
      },
    },
  }),
  alone({ 'executors.python.indexUrl': showIndexUrl }),
];
