import assert from 'node:assert/strict';
import { existsSync, readFileSync, readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { isolationsUnderTest } from '@code-executor/contracts/testing';

import { withServer } from '../started-server.test.support.js';
import { Arena } from './arena.js';
import type { Attack } from './attack.js';
import { attempting, outcomesOf } from './attempts.js';
import { echo, lookAtProcess } from './look-at-process.js';
import type { Places } from './places.js';
import { configOf } from './surroundings.js';
import { call } from './tool-calls.js';

/** `symlink(target, name)` and `link(from, to)` by way of WASI, which Deno asks for no permission beyond the folder's. */
const wasiLinks = (folder: string) => `
  const { WASI } = process.getBuiltinModule("node:wasi");
  const memory = new WebAssembly.Memory({ initial: 1 });
  const texts = (...all) => all.flatMap((text, index) => {
    const bytes = new TextEncoder().encode(text);
    new Uint8Array(memory.buffer).set(bytes, index * 4096);
    return [index * 4096, bytes.length];
  });
  const wasi = () => {
    const made = new WASI({ version: "preview1", preopens: { "/d": ${JSON.stringify(folder)} } });
    made.initialize({ exports: { memory } });
    return made.wasiImport;
  };
  const done = (errno) => { if (errno !== 0) throw new Error("errno " + errno); };
  const symlink = (target, name) => {
    const [a, b, c, d] = texts(target, name);
    done(wasi().path_symlink(a, b, 3, c, d));
  };
  const link = (from, to) => {
    const [a, b, c, d] = texts(from, to);
    done(wasi().path_link(3, 0, a, b, 3, c, d));
  };
`;

/** Those whose owner's rights a program would get, in a folder and below. */
async function specialFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const stats = await Promise.all(names.map((name) => lstat(join(folder, name))));
  // A list of this realm, to be compared with others.
  return [...names.filter((_, index) => ((stats[index]?.mode ?? 0) & 0o7000) !== 0)];
}

async function linksIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
}

/** Reads a file of each folder that was granted, and says what came of it. */
const readEach = (paths: readonly string[]) =>
  `return Promise.all(${JSON.stringify(paths)}.map((path) => Deno.readTextFile(path).catch(({ name }) => name)));`;

async function neverReads(
  { run, places }: Pick<Arena, 'run' | 'places'>,
  paths: readonly string[],
  permissions: { read?: string[]; write?: string[] },
): Promise<string[]> {
  const { result = [], stderr = '' } = await run(readEach(paths), { permissions });
  assert.ok(!JSON.stringify(result).includes(places.canary), `${JSON.stringify(result)} ${stderr}`);
  return result as string[];
}

/** Swaps a folder for a link to secrets and back, for as long as it takes. */
async function swapUntil(folder: string, secrets: string, running: Promise<unknown>): Promise<void> {
  let isOver = false as boolean;
  const ended = running.finally(() => (isOver = true));
  while (!isOver) {
    renameSync(folder, `${folder}-away`);
    symlinkSync(secrets, folder);
    await nextTurn();
    unlinkSync(folder);
    renameSync(`${folder}-away`, folder);
    await nextTurn();
  }
  await ended;
}

/** Puts a link to secrets in the place of a folder while a grant of it is on its way, a little later each time. */
async function swapLaterEachTime(
  folder: string,
  secrets: string,
  run: () => Promise<unknown>,
): Promise<void> {
  for (let afterMs = 0; afterMs < 48; afterMs += 3) {
    const running = run();
    await delay(afterMs);
    renameSync(folder, `${folder}-away`);
    symlinkSync(secrets, folder);
    await running.finally(() => {
      unlinkSync(folder);
      renameSync(`${folder}-away`, folder);
    });
  }
}

/** Where a process keeps its caches, and its working folder, as it sees them. */
function ownFolders(pid: number): string[] {
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
  return [/DENO_DIR=([^\0]*)/.exec(environment)?.[1] ?? '', readlinkSync(`/proc/${pid}/cwd`)];
}

/** What a server's own configuration and home are, in a home that the operator granted whole. */
async function configureProject({ home, canary }: Places): Promise<void> {
  await mkdir(join(home, '.code-executor', 'audit-logs'), { recursive: true });
  const text = JSON.stringify({ mcpServers: {}, comment: canary });
  for (const name of ['.mcp.json', '.claude.json']) await writeFile(join(home, name), text);
  for (const name of ['config.json', 'http-token', 'audit-logs/old.jsonl'])
    await writeFile(join(home, '.code-executor', name), canary);
}

const product = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** What is granted is the thing that the operator meant, whatever somebody does to its name. */
export const grantedThings: readonly Attack[] = [
  {
    id: 'GRT-01',
    what: 'make links in a granted folder, to anywhere: WASI, Deno.symlink and link, node:fs',
    stoppedBy: 'Deno; OS (seccomp); portable: the server makes none',
    async attack(arena) {
      const { writable, secrets, home } = arena.places;
      const before = await linksIn(writable);
      const program = attempting([
        ...[secrets, `${home}/.ssh`, '../secrets', '/proc/self/root'].map(
          (target) => `symlink(${JSON.stringify(target)}, "made")`,
        ),
        'link("plain.txt", "made")',
        'link("link.txt", "made")',
        `Deno.symlinkSync("${secrets}", "${writable}/made")`,
        `Deno.linkSync("${writable}/plain.txt", "${writable}/made")`,
        `(await node("fs")).symlinkSync("${secrets}", "${writable}/made")`,
        `(await node("fs")).linkSync("${writable}/plain.txt", "${writable}/made")`,
      ]);
      const outcomes = outcomesOf(
        await arena.run(`${wasiLinks(writable)}${program}`, { permissions: { write: [writable] } }),
      );
      const made = await linksIn(writable);
      await rm(join(writable, 'made'), { force: true });
      assert.deepEqual(made, before);
      assert.deepEqual(
        outcomes.filter(({ refusal }) => refusal === undefined),
        [],
      );
    },
  },
  {
    id: 'GRT-02',
    what: 'leave a set-user-id, set-group-id or sticky file or folder in a granted folder, or change what one does',
    stoppedBy: 'OS (seccomp, no capabilities); portable: the server sets no mode, and writes to none of them',
    async attack(arena) {
      const folder = join(arena.places.writable, 'modes');
      await mkdir(folder);
      await writeFile(join(folder, 'theirs'), '#!/bin/sh\n');
      await writeFile(join(folder, 'plain'), 'plain');
      await chmod(join(folder, 'theirs'), 0o6755);
      const at = (name: string) => JSON.stringify(join(folder, name));
      await arena.run(
        attempting([
          `Deno.chmodSync(${at('plain')}, 0o6755)`,
          `Deno.chmod(${at('plain')}, 0o4755)`,
          `Deno.openSync(${at('opened')}, { write: true, create: true, mode: 0o4755 }).close()`,
          `Deno.writeTextFileSync(${at('written')}, "x", { mode: 0o2755 })`,
          `Deno.writeTextFile(${at('served')}, "x", { mode: 0o6755 })`,
          `Deno.mkdirSync(${at('made')}, { mode: 0o7777 })`,
          `Deno.mkdir(${at('made-too')}, { mode: 0o7777 })`,
          `(await node("fs")).chmodSync(${at('plain')}, 0o6755)`,
          `(await node("fs")).writeFileSync(${at('by-node')}, "x", { mode: 0o4755 })`,
          `(await node("fs")).mkdirSync(${at('dir-by-node')}, { mode: 0o1777 })`,
          `Deno.copyFileSync(${at('theirs')}, ${at('copied')})`,
          `Deno.writeTextFile(${at('theirs')}, "evil")`,
        ]),
        { permissions: { write: [folder] } },
      );
      const special = await specialFiles(folder);
      const theirs = await readFile(join(folder, 'theirs'), 'utf8');
      await rm(folder, { recursive: true });
      // Whoever may write to it changes it, but then it has no one's rights any more.
      assert.deepEqual(special, theirs === 'evil' ? [] : ['theirs']);
    },
  },
  {
    id: 'GRT-03',
    what: 'be granted a folder that somebody swaps for a link to secrets while the grant is resolved',
    stoppedBy: 'server (what is granted is opened once, without following links); OS (mounted by descriptor)',
    async attack(arena) {
      const { readable, secrets } = arena.places;
      const folder = join(readable, 'swapped-grant');
      await mkdir(folder);
      await writeFile(join(folder, 'data'), 'old');
      const attempt = () =>
        neverReads(arena, [join(folder, 'data'), join(folder, 'secret.txt')], { read: [folder] });
      const attempts = async () => {
        for (let count = 0; count < 12; count++) await attempt();
      };
      await swapUntil(folder, secrets, attempts());
      await swapLaterEachTime(folder, secrets, attempt);
      await rm(folder, { recursive: true });
    },
  },
  {
    id: 'GRT-04',
    what: 'put a link to secrets in the place of a folder that the configuration names, before or after it is read',
    stoppedBy:
      'server (ceilings are opened once and kept; no link in a folder that programs may write decides one)',
    async attack({ mode }) {
      const swap = async ({ secrets }: Places, folder: string) => {
        await rename(folder, `${folder}-away`);
        await symlink(secrets, folder);
      };
      const start = (prepare: (places: Places) => Promise<unknown>) =>
        Arena.start(mode, {
          prepare: async (places) => {
            const docs = join(places.writable, 'docs');
            await mkdir(docs);
            await writeFile(join(docs, 'data'), 'old');
            const security = { allowWrite: [places.writable], allowRead: [places.readable, docs] };
            await writeFile(join(places.home, '.code-executor.json'), JSON.stringify({ security }));
            await prepare(places);
          },
        });
      const swapLater = start(() => Promise.resolve());
      await withServer(swapLater, async ({ run, places }) => {
        const docs = join(places.writable, 'docs');
        const [readable] = await neverReads({ run, places }, [join(places.readable, 'plain.txt')], {
          read: [places.readable],
        });
        assert.equal(readable, 'plain');
        for (const folder of [docs, places.readable]) {
          await swap(places, folder);
          const paths = ['secret.txt', 'data', '../secrets/secret.txt'].map((name) => join(folder, name));
          for (const permissions of [
            { read: [folder] },
            { write: [folder] },
            { read: [join(folder, 'data')] },
          ])
            await neverReads({ run, places }, paths, permissions);
        }
      });
      const swapBefore = start((places) => swap(places, join(places.writable, 'docs')));
      await withServer(swapBefore, async ({ run, places }) => {
        const docs = join(places.writable, 'docs');
        for (const permissions of [{ read: [docs] }, { write: [docs] }])
          await neverReads({ run, places }, [join(docs, 'secret.txt'), join(docs, 'data')], permissions);
      });
    },
  },
  {
    id: 'GRT-05',
    what: "have the runtime's own folder put into what is granted, or reach another run's, by a grant of the temp folder",
    stoppedBy: 'OS (its folder is where nothing is granted); portable: the server serves no such folder',
    async attack({ mode }) {
      const server = Arena.start(mode, {
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
        await lookAtProcess(arena, look, (_, options) =>
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
      'server (it grants none of them, and none to write in that holds one); strict: hidden by a mount',
    async attack({ mode }) {
      const server = Arena.start(mode, {
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
          // Only what is the server's own is hidden.
          if (folder === home) assert.equal(read.at(-1), 'plain');
          await run(
            attempting([
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
    what: "read or write the kernel's own trees where they are mounted in a granted folder, as in the root of a container",
    stoppedBy: 'server (their mounts are hidden, and nothing that holds one is granted to be written); OS',
    async attack({ mode }) {
      if (!isolationsUnderTest().includes('strict')) return;
      const roots = ({ readable, writable }: Places) =>
        [readable, writable].map((folder) => join(folder, 'root'));
      const server = Arena.start(mode, {
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
