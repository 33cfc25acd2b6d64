import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { ProgramAttack } from '../arena/program-attack.js';
import { attemptProgram, outcomesOf } from './attempts.js';

/** `symlink(target, name)` and `link(from, to)` through WASI, for which Deno requires only the folder's permission. */
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

/** The set-user-id, set-group-id and sticky entries in a folder and below. */
async function specialFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const stats = await Promise.all(names.map((name) => lstat(join(folder, name))));
  // An array of this realm, so that it can be compared.
  return [...names.filter((_, index) => ((stats[index]?.mode ?? 0) & 0o7000) !== 0)];
}

async function linksIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
}

/** Attacks that leave something dangerous in a granted folder. */
export const leftInGrantedFolders: readonly ProgramAttack[] = [
  {
    id: 'GRT-01',
    what: 'create links in a granted folder that lead anywhere: WASI, Deno.symlink and link, node:fs',
    stoppedBy: 'Deno; OS (seccomp); portable: the server creates none',
    async attack(arena) {
      const { writable, secrets, home } = arena.places;
      const before = await linksIn(writable);
      const program = attemptProgram([
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
    what: 'leave a set-user-id, set-group-id or sticky file or folder in a granted folder, or change the content of one',
    stoppedBy: 'OS (seccomp, no capabilities); portable: the server sets no mode, and writes to no such file',
    async attack(arena) {
      const folder = join(arena.places.writable, 'modes');
      await mkdir(folder);
      await writeFile(join(folder, 'theirs'), '#!/bin/sh\n');
      await writeFile(join(folder, 'plain'), 'plain');
      await chmod(join(folder, 'theirs'), 0o6755);
      const at = (name: string) => JSON.stringify(join(folder, name));
      await arena.run(
        attemptProgram([
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
      // A program that may write to the file can change it, but the file then loses its special rights.
      assert.deepEqual(special, theirs === 'evil' ? [] : ['theirs']);
    },
  },
];
