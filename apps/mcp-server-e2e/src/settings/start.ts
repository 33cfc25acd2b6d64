import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { freePort } from '@code-executor/contracts/testing';
import { expect } from '@jest/globals';

import { bin } from '../server-under-test/bin.js';
import { createHome, environmentOf, removeHome } from '../server-under-test/home.js';
import { StartedServer, withServer } from '../server-under-test/started-server.js';
import { alone, overStdio } from './effect-check.js';
import { noSpares } from './upstream.js';

/** The message of a server that does not start with this configuration. */
export async function problemOf(config: object): Promise<string> {
  const home = await createHome({ '.code-executor.json': JSON.stringify(config) });
  const child = spawn(process.execPath, [bin], { cwd: home, env: environmentOf(home) });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.end();
  const [code] = (await once(child, 'close')) as [number];
  await removeHome(home);
  expect(code).toBe(1);
  return stderr;
}

const probePort = await freePort();
const statusOf = async (url: string) => (await fetch(url)).status;
const withoutPython = JSON.stringify({ executors: { python: { enabled: false } } });
const toolsOf = async (server: StartedServer) =>
  (await server.client.listTools()).tools.map(({ name }) => name);

/** Checks of settings for where the server reads and writes. */
export const startChecks = [
  overStdio({
    config: { version: 1, executors: { typescript: { enabled: false } } },
    files: { 'named.json': withoutPython },
    env: { CODE_EXECUTOR_CONFIG_PATH: 'named.json' },
    shows: {
      CODE_EXECUTOR_CONFIG_PATH: async (server) =>
        expect(await toolsOf(server)).toEqual(['executeTypescript', 'health']),
    },
  }),
  overStdio({
    config: { tools: { getExecution: true } },
    shows: {
      'tools.getExecution': async (server) => {
        expect(await toolsOf(server)).toContain('getExecution');
        expect(server.client.getInstructions()).toContain('getExecution');
      },
    },
  }),
  overStdio({
    config: { sandbox: { spares: noSpares } },
    env: { CODE_EXECUTOR_HOME: 'kept' },
    shows: {
      CODE_EXECUTOR_HOME: async (server) => {
        await server.run('return 1');
        expect((await stat(join(server.home, 'kept', 'audit-logs'))).isDirectory()).toBe(true);
        await expect(readFile(join(server.home, '.code-executor'))).rejects.toMatchObject({ code: 'ENOENT' });
      },
    },
  }),
  overStdio({
    env: { HEALTH_CHECK_PORT: String(probePort), HEALTH_CHECK_HOST: '::1' },
    shows: {
      HEALTH_CHECK_PORT: async () => expect(await statusOf(`http://[::1]:${probePort}/live`)).toBe(200),
      HEALTH_CHECK_HOST: async () => {
        await expect(statusOf(`http://127.0.0.1:${probePort}/live`)).rejects.toThrow('fetch failed');
      },
    },
  }),
  alone({
    version: async () =>
      expect(await problemOf({ version: 2 })).toContain('version is the number 2 (expected 1)'),
    XDG_CONFIG_HOME: async () => {
      const home = await createHome();
      await mkdir(join(home, 'xdg', 'code-executor'), { recursive: true });
      await writeFile(join(home, 'xdg', 'code-executor', 'config.json'), withoutPython);
      const start = StartedServer.start({}, { XDG_CONFIG_HOME: join(home, 'xdg') }, home);
      await withServer(start, async (server) =>
        expect(await toolsOf(server)).toEqual(['executeTypescript', 'health']),
      );
    },
  }),
];
