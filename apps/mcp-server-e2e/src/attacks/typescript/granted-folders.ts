import assert from 'node:assert/strict';
import { renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { withServer } from '../../server-under-test/started-server.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import { StdioArena } from '../arena/stdio-arena.js';
import { attemptProgram, outcomesOf } from './attempts.js';

/** The errors of Deno, of the server, and of a kernel that does not have the file. */
const refusedFile =
  /Requires (?:read|write) access|permission_denied|PermissionDenied|NotFound|NotCapable|os error 2\b|os error 13\b|os error 30\b|os error 40\b|ENOENT|EACCES|EROFS|is a link|leads through a link|outside of what/;

/** Both modes support the asynchronous functions; strict isolation supports the others too. */
const grants = ({ places: { readable, writable } }: StdioArena) => ({
  permissions: { read: [readable], write: [writable] },
});

/** Attacks that try to leave granted folders. */
export const grantedFolders: readonly ProgramAttack[] = [
  {
    id: 'TS-11',
    what: 'follow links in granted folders: to /proc/self, to a folder and to a file outside; read and write',
    stoppedBy: 'strict: nothing else is mounted; portable: the server follows no link',
    async attack(arena) {
      const { readable, writable, secrets } = arena.places;
      const attempts = [readable, writable].flatMap((folder) => [
        `Deno.readTextFile("${folder}/link.txt")`,
        `Deno.readTextFile("${folder}/out/secret.txt")`,
        `Deno.readTextFile("${folder}/out/../secrets/secret.txt")`,
        `Deno.readTextFile("${folder}/self/root${secrets}/secret.txt")`,
        `Deno.readTextFile("${folder}/self/root/etc/passwd")`,
        `Deno.readTextFile("${folder}/self/environ")`,
        `Deno.readTextFile("${folder}/self/cwd/bootstrap.js")`,
        `Array.fromAsync(Deno.readDir("${folder}/out"))`,
        `Array.fromAsync(Deno.readDir("${folder}/self/fd"))`,
        `Deno.writeTextFile("${folder}/link.txt", "x")`,
        `Deno.writeTextFile("${folder}/out/data", "x")`,
        `Deno.mkdir("${folder}/out/new")`,
        `Deno.remove("${folder}/out/data")`,
        `Deno.remove("${folder}/out/", { recursive: true })`,
      ]);
      const outcomes = outcomesOf(await arena.run(attemptProgram(attempts), grants(arena)));
      const others = outcomes.filter(({ refusal }) => !refusedFile.test(refusal ?? ''));
      // Removing a link removes the link.
      assert.deepEqual(
        others.filter(({ attempt }) => !attempt.startsWith('Deno.remove(')),
        [],
      );
    },
  },
  {
    id: 'TS-16',
    what: 'leave a granted folder through a path: .., %2e, NUL, a sibling with the same beginning, /proc/self/root, links made by the program',
    stoppedBy: 'Deno; strict: nothing else is mounted; portable: the server resolves the path itself',
    async attack(arena) {
      const { readable, secrets, home } = arena.places;
      const attempts = [
        `Deno.readTextFile("${readable}/../secrets/secret.txt")`,
        `Deno.readTextFile("${readable}/./.././secrets//secret.txt")`,
        `Deno.readTextFile(new URL("file://${readable}/%2e%2e/secrets/secret.txt"))`,
        `Deno.readTextFile(new URL("file://${readable}/..%2fsecrets/secret.txt"))`,
        `Deno.readTextFile("${readable}\\0/../secrets/secret.txt")`,
        `Deno.readTextFile("${readable}-not.txt")`,
        `Deno.readTextFile("${readable}.txt")`,
        `Deno.readTextFile("/proc/self/root${secrets}/secret.txt")`,
        `Deno.readTextFile("${secrets}/secret.txt")`,
        `Deno.readTextFile("${home}/.code-executor.json")`,
        `Deno.readTextFile({ toString: () => "${secrets}/secret.txt" })`,
        `Deno.writeTextFile("${readable}/new.txt", "x")`,
        `Deno.remove("${readable}/plain.txt")`,
        `Deno.mkdir("${readable}/new")`,
        `Deno.symlink("${secrets}", "${arena.places.writable}/made")`,
        `Deno.link("${secrets}/secret.txt", "${arena.places.writable}/made")`,
        `Deno.rename("${secrets}/secret.txt", "${arena.places.writable}/made")`,
        `Deno.copyFile("${secrets}/secret.txt", "${arena.places.writable}/made")`,
      ];
      const outcomes = outcomesOf(await arena.run(attemptProgram(attempts), grants(arena)));
      assert.deepEqual(
        outcomes.filter(({ refusal }) => refusal === undefined),
        [],
      );
      assert.equal(await readFile(join(readable, 'plain.txt'), 'utf8'), 'plain');
    },
  },
  {
    id: 'TS-20',
    what: 'ask for more than the server grants: /, /etc, the home, /proc, a link, a file as a folder',
    stoppedBy: 'server (security.allowRead, security.allowWrite)',
    async attack({ run, places: { secrets, home, readable } }) {
      const wanted = [
        '/',
        '/etc',
        '/etc/passwd',
        home,
        secrets,
        '/proc',
        '/proc/self/root',
        `${readable}/out`,
        `${readable}/../secrets`,
        `${readable}/link.txt`,
        `${readable}/self`,
      ];
      const program = attemptProgram([
        `Deno.readTextFile("${secrets}/secret.txt")`,
        'Deno.readTextFile("/etc/passwd")',
        `Deno.readTextFile("${readable}/out/secret.txt")`,
        `Deno.readTextFile("${readable}/link.txt")`,
      ]);
      for (const permissions of [{ read: wanted }, { write: wanted }]) {
        const report = await run(program, { permissions });
        const refusals = report.success
          ? outcomesOf(report).map(({ refusal }) => refusal ?? 'got it')
          : [report.error];
        for (const refusal of refusals) assert.match(refusal ?? '', refusedFile);
      }
    },
  },
  {
    id: 'TS-13',
    what: 'read and write through a folder that is constantly swapped for a link to secrets',
    stoppedBy:
      'strict: nothing else is mounted; portable: folders are opened one by one, and links are never followed',
    async attack(arena) {
      const { readable, writable, secrets } = arena.places;
      const swapped = [readable, writable].map((folder) => join(folder, 'swapped'));
      for (const folder of swapped) {
        await mkdir(folder, { recursive: true });
        writeFileSync(join(folder, 'data'), 'old');
      }
      const [read = '', written = ''] = swapped;
      const running = arena.run(
        `const seen = new Map(); const end = Date.now() + 2000;
         const note = (what) => seen.set(what, (seen.get(what) ?? 0) + 1);
         while (Date.now() < end) {
           await Deno.readTextFile("${read}/data").then(note, () => note("refused"));
           await Deno.writeTextFile("${written}/data", "old").then(() => note("written"), () => note("refused"));
         }
         return Object.fromEntries(seen);`,
        grants(arena),
      );
      let isOver = false as boolean;
      const ended = running.finally(() => (isOver = true));
      while (!isOver) {
        for (const folder of swapped) {
          renameSync(folder, `${folder}-away`);
          symlinkSync(secrets, folder);
        }
        await nextTurn();
        for (const folder of swapped) {
          unlinkSync(folder);
          renameSync(`${folder}-away`, folder);
        }
        await nextTurn();
      }
      const { result } = await ended;
      assert.deepEqual(
        Object.keys(result as object).filter((what) => !['old', 'written', 'refused', ''].includes(what)),
        [],
      );
    },
  },
  {
    id: 'TS-26',
    what: 'hang the server with a FIFO in a granted folder, or read a folder as a file',
    stoppedBy: 'portable: the server opens regular files only; strict: only the program itself waits',
    async attack(arena) {
      const { readable, writable } = arena.places;
      const report = await arena.run(
        `// As many as the server opens at once, and as many as it has threads.
         for (let i = 0; i < 8; i++) Deno.readTextFile("${readable}/fifo").catch(() => undefined);
         const outcomes = await Promise.allSettled([
           Deno.readTextFile("${readable}"),
           Promise.race([Deno.readTextFile("${readable}/plain.txt"), new Promise((_, no) => setTimeout(no, 2000))]),
           Promise.race([Deno.readTextFile("${readable}/fifo"), new Promise((_, no) => setTimeout(no, 800))]),
           Promise.race([Deno.writeTextFile("${writable}/fifo", "x"), new Promise((_, no) => setTimeout(no, 800))]),
         ]);
         console.log(JSON.stringify(outcomes.map(({ status }) => status)));
         Deno.exit(0);`,
        { ...grants(arena), timeoutMs: 5000 },
      );
      assert.match(report.output, /^\["rejected","fulfilled","rejected","rejected"\]/);
    },
  },
  {
    id: 'TS-44',
    what: 'make the server load a file of 300 MB, or list a folder of 10,001 files',
    stoppedBy: 'portable: server (8 MB, 10,000 entries); strict: the program reads the file itself',
    async attack(arena) {
      const { readable } = arena.places;
      const [large, many] = ['large', 'many'].map((name) => join(readable, name)) as [string, string];
      await writeFile(large, '');
      await truncate(large, 300 * 1024 * 1024);
      await mkdir(many);
      for (let i = 0; i < 10_001; i++) writeFileSync(join(many, String(i)), '');
      const refusals = outcomesOf(
        await arena.run(
          attemptProgram([
            `Deno.readTextFile("${large}")`,
            `Deno.readFile("${large}")`,
            `Array.fromAsync(Deno.readDir("${many}")).then(({ length }) => length)`,
          ]),
          grants(arena),
        ),
      ).map(({ refusal }) => refusal ?? '');
      const refusedByServer = [/larger than 8 MB/, /larger than 8 MB/, /more than 10000 entries/];
      // In strict isolation, the file fills the memory of the program, and folders of any size can be listed.
      const expected = arena.mode === 'portable' ? refusedByServer : [/./, /./, /^$/];
      expected.forEach((refusal, index) => assert.match(refusals[index] ?? '', refusal));
      for (const path of [large, many]) await rm(path, { recursive: true });
    },
  },
  {
    id: 'TS-46',
    what: "get the kernel's own folders granted by a server that grants everything: /, /proc, /sys, /dev",
    stoppedBy: 'server (they are never granted)',
    async attack({ mode }) {
      const config = { security: { allowRead: ['/'], allowWrite: true } };
      await withServer(StdioArena.start(mode, { config }), async ({ run, places: { readable } }) => {
        for (const path of ['/', '/proc', '/proc/self/root', '/sys', '/dev', '/dev/fd', `${readable}/self`]) {
          for (const permissions of [{ read: [path] }, { write: [path] }]) {
            const list = `Array.fromAsync(Deno.readDir(${JSON.stringify(path)}))`;
            const code = `return await ${list}.then(() => "listed", () => "refused")`;
            const { errorCode, result } = await run(code, { permissions });
            // Links are left out of a grant, and the kernel's own folders are an error.
            assert.ok(errorCode === 'permission_denied' || result === 'refused', path);
          }
        }
        const { result } = await run(`return await Deno.readTextFile("${readable}/plain.txt")`, {
          permissions: { read: [readable] },
        });
        assert.equal(result, 'plain');
      });
    },
  },
];
