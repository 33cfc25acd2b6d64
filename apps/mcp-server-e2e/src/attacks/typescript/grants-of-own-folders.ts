import assert from 'node:assert/strict';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { isolationsUnderTest } from '@code-executor/contracts/testing';

import { withServer } from '../../server-under-test/started-server.js';
import type { Places } from '../arena/places.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import { StdioArena } from '../arena/stdio-arena.js';
import { configOf } from '../arena/surroundings.js';
import { attemptProgram } from './attempts.js';
import { neverReads } from './granted-secrets.js';
import { echo, inspectProcess } from './inspect-process.js';
import { call } from './tool-calls.js';

/** The cache folder and the working folder of a process, as the process sees them. */
function ownFolders(pid: number): string[] {
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
  return [/DENO_DIR=([^\0]*)/.exec(environment)?.[1] ?? '', readlinkSync(`/proc/${pid}/cwd`)];
}

/** Creates configuration files and a product home in a home folder that the operator grants completely. */
async function configureProject({ home, canary }: Places): Promise<void> {
  await mkdir(join(home, '.code-executor', 'audit-logs'), { recursive: true });
  const text = JSON.stringify({ mcpServers: {}, comment: canary });
  for (const name of ['.mcp.json', '.claude.json']) await writeFile(join(home, name), text);
  for (const name of ['config.json', 'http-token', 'audit-logs/old.jsonl'])
    await writeFile(join(home, '.code-executor', name), canary);
}

const product = fileURLToPath(new URL('../../../../mcp-server', import.meta.url)).replace(/\/$/, '');

/** Attacks through grants of folders that contain folders of the runtime, the server or the kernel. */
export const grantsOfOwnFolders: readonly ProgramAttack[] = [
  {
    id: 'GRT-05',
    what: "use a grant of the temp folder to get the runtime's own folder granted, or to reach that of another run",
    stoppedBy:
      "OS (the runtime's folder is in a place that is never granted); portable: the server serves no such folder",
    async attack({ mode }) {
      const server = StdioArena.start(mode, {
        prepare: (places) =>
          writeFile(
            join(places.home, '.code-executor.json'),
            JSON.stringify({
              ...configOf(places),
              security: { allowRead: ['/tmp'], allowWrite: [places.temp] },
            }),
          ),
      });
      await withServer(server, async (arena) => {
        const { run, places } = arena;
        const permissions = { read: ['/tmp'], write: [places.temp] };
        const look = (pid: number) => {
          const granted = ownFolders(pid).filter((folder) => folder === '/tmp' || folder.startsWith('/tmp/'));
          if (mode === 'strict') assert.deepEqual(granted, []);
        };
        await inspectProcess(arena, look, (_, options) =>
          run(`${call(echo)}; await new Promise((go) => setTimeout(go, 20_000));`, {
            permissions,
            ...options,
          }),
        );
        const { result } = await run(
          `const names = (await Array.fromAsync(Deno.readDir("${places.temp}"))).map(({ name }) => name);
           const planted = await Promise.all(names.filter((name) => name.startsWith("code-executor-")).map((name) =>
             Deno.writeTextFile("${places.temp}/" + name + "/planted", "").then(() => name, () => undefined)));
           return planted.filter(Boolean);`,
          { permissions },
        );
        assert.deepEqual(result, []);
      });
    },
  },
  {
    id: 'GRT-06',
    what: "read or change the server's configuration, its home or its program, through a grant of a folder around or inside it",
    stoppedBy:
      'server (it never grants them, nor writing to a folder that contains one); strict: hidden by a mount',
    async attack({ mode }) {
      const server = StdioArena.start(mode, {
        prepare: async (places) => {
          await configureProject(places);
          const security = { allowRead: ['/'], allowWrite: [dirname(places.home), places.home, product] };
          await writeFile(
            join(places.home, '.code-executor.json'),
            JSON.stringify({ security, mcpServers: { x: { command: 'none', env: { A: places.canary } } } }),
          );
        },
      });
      await withServer(server, async ({ run, places }) => {
        const { home } = places;
        const secret = [
          ...['.code-executor.json', '.mcp.json', '.claude.json'],
          ...['config.json', 'http-token', 'audit-logs/old.jsonl'].map((name) => `.code-executor/${name}`),
        ].map((name) => join(home, name));
        const before = await Promise.all(secret.map((path) => readFile(path, 'utf8')));
        const folders = [dirname(home), home, join(home, '.code-executor'), ...secret];
        for (const folder of folders) {
          const read = await neverReads({ run, places }, [...secret, join(home, 'readable/plain.txt')], {
            read: [folder],
          });
          // Only the server's own files are hidden.
          if (folder === home) assert.equal(read.at(-1), 'plain');
          await run(
            attemptProgram([
              ...secret.flatMap((path) => [
                `Deno.writeTextFile(${JSON.stringify(path)}, "{}")`,
                `Deno.remove(${JSON.stringify(path)})`,
                `Deno.renameSync(${JSON.stringify(path)}, ${JSON.stringify(join(home, 'writable', 'taken'))})`,
              ]),
              `Deno.remove("${home}/.code-executor", { recursive: true })`,
              `Deno.renameSync("${home}/.code-executor", "${home}/writable/taken")`,
              `Deno.renameSync("${home}", "${home}-taken")`,
              `Deno.writeTextFile("${home}/.config/code-executor/config.json", "{}")`,
            ]),
            { permissions: { write: [folder] } },
          );
        }
        for (const folder of [product, join(product, 'dist')]) {
          const path = JSON.stringify(join(folder, 'planted.js'));
          await run(`await Deno.writeTextFile(${path}, "").catch(() => 0)`, {
            permissions: { write: [folder] },
          });
          assert.ok(!existsSync(join(folder, 'planted.js')));
        }
        const after = await Promise.all(secret.map((path) => readFile(path, 'utf8').catch(() => 'gone')));
        assert.deepEqual(after, before);
      });
    },
  },
  {
    id: 'GRT-07',
    what: "read or write the kernel's own folders where they are mounted in a granted folder, as in the root of a container",
    stoppedBy:
      'server (their mounts are hidden, and a folder that contains one is never granted for writing); OS',
    async attack({ mode }) {
      if (!isolationsUnderTest().includes('strict')) return;
      const roots = ({ readable, writable }: Places) =>
        [readable, writable].map((folder) => join(folder, 'root'));
      const server = StdioArena.start(mode, {
        prepare: (places) =>
          Promise.all(roots(places).map((root) => mkdir(join(root, 'proc'), { recursive: true }))),
        wrapper: (places) => [
          ...['bwrap', '--dev-bind', '/', '/'],
          ...roots(places).flatMap((root) => ['--proc', join(root, 'proc')]),
        ],
      });
      await withServer(server, async ({ run, places }) => {
        for (const root of roots(places)) {
          const files = ['1/cmdline', 'self/status', 'version', 'sys/kernel/ostype'].map((name) =>
            join(root, 'proc', name),
          );
          const kinds = root.startsWith(places.writable) ? ['read', 'write'] : ['read'];
          for (const kind of kinds)
            for (const grant of [join(root, '..'), root, join(root, 'proc')]) {
              const code = `const tries = ${JSON.stringify(files)}.map((path) => Deno.readTextFile(path));
                tries.push(Deno.writeTextFile(${JSON.stringify(join(root, 'proc/self/comm'))}, 'x'));
                return (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled').length;`;
              assert.equal((await run(code, { permissions: { [kind]: [grant] } })).result, 0, grant);
            }
        }
      });
    },
  },
];
