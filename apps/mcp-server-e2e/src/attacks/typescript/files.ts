import assert from 'node:assert/strict';

import type { ProgramAttack } from '../arena/program-attack.js';
import { attemptProgram, eachRefused, noPermission, outcomesOf } from './attempts.js';

/** Attacks on files that the program was not granted. */
export const files: readonly ProgramAttack[] = [
  {
    id: 'TS-18',
    what: 'read a secret file with every function of Deno and node:fs that reads',
    stoppedBy: 'Deno; OS',
    attack: eachRefused(({ secrets }) => {
      const file = JSON.stringify(`${secrets}/secret.txt`);
      const folder = JSON.stringify(secrets);
      return [
        ...['readTextFile', 'readFile', 'stat', 'lstat', 'open', 'readLink', 'realPath'].flatMap((name) => [
          `Deno.${name}(${file})`,
          `Deno.${name}Sync(${file})`,
        ]),
        `[...Deno.readDirSync(${folder})]`,
        `Array.fromAsync(Deno.readDir(${folder}))`,
        `Deno.watchFs(${folder}).return?.()`,
        `Deno.copyFileSync(${file}, "copy")`,
        ...[
          'readFileSync',
          'statSync',
          'lstatSync',
          'accessSync',
          'existsSync',
          'realpathSync',
          'openSync',
        ].map((name) => `(await node("fs")).${name}(${file})`),
        ...['readFile', 'stat', 'access', 'open', 'realpath'].map(
          (name) => `(await node("fs")).promises.${name}(${file})`,
        ),
        `(await node("fs")).readdirSync(${folder})`,
        `(await node("fs")).opendirSync(${folder})`,
        `(await node("fs")).statfsSync("/")`,
        `(await node("fs")).openAsBlob(${file})`,
        `(await node("fs")).cpSync(${file}, "copy")`,
        `new Promise((_, reject) => process.getBuiltinModule("fs").createReadStream(${file}).on("error", reject))`,
        `(async () => { for await (const event of (await node("fs")).promises.watch(${folder})) return event })()`,
        `Deno.readTextFileSync("/proc/self/environ")`,
        `Deno.readTextFileSync("/proc/1/environ")`,
        `Deno.readTextFileSync("/etc/passwd")`,
        `Deno.readTextFileSync("/dev/fd/0")`,
      ];
    }),
  },
  {
    id: 'TS-22',
    what: 'write, move, link, remove or change the mode of a file with every function that does',
    stoppedBy: 'Deno; OS',
    attack: eachRefused(({ secrets, home }) => {
      const file = JSON.stringify(`${secrets}/secret.txt`);
      const other = JSON.stringify(`${secrets}/other`);
      return [
        ...[
          `writeTextFile(${file}, "x")`,
          `writeFile(${file}, new Uint8Array(1))`,
          `truncate(${file})`,
          `remove(${file})`,
          `rename(${file}, ${other})`,
          `link(${file}, ${other})`,
          `mkdir(${other})`,
          `chmod(${file}, 0o777)`,
          `chown(${file}, 0, 0)`,
          `utime(${file}, 1, 1)`,
          `makeTempFile({ dir: ${JSON.stringify(home)} })`,
          `makeTempDir()`,
        ].flatMap((call) => [`Deno.${call}`, `Deno.${call.replace('(', 'Sync(')}`]),
        ...[
          `writeFileSync(${file}, "x")`,
          `appendFileSync(${file}, "x")`,
          `rmSync(${file})`,
          `unlinkSync(${file})`,
          `renameSync(${file}, ${other})`,
          `copyFileSync(${file}, ${other})`,
          `mkdirSync(${other})`,
          `mkdtempSync(${other})`,
          `chmodSync(${file}, 0o777)`,
          `lchownSync(${file}, 0, 0)`,
          `lutimesSync(${file}, 1, 1)`,
          `openSync(${other}, "w")`,
        ].map((call) => `(await node("fs")).${call}`),
        `Deno.symlinkSync("/etc", ${other})`,
        `Deno.chdir("/")`,
        `process.chdir("/")`,
        `(await node("v8")).writeHeapSnapshot(${other})`,
        `(await node("sqlite")).backup(new ((await node("sqlite")).DatabaseSync)(":memory:"), ${other})`,
        `new ((await node("sqlite")).DatabaseSync)(${other})`,
      ];
    }, /Requires (?:read|write|sys) access|requires unscoped/),
  },
  {
    id: 'TS-24',
    what: 'use a package, an import map or settings that another user left in the temp folder above',
    stoppedBy: 'Deno (--no-config, no read permission); OS',
    attack: eachRefused(
      ({ temp }) => [
        'import("evil")',
        'import("npm:evil")',
        '(await node("module")).createRequire(`file://${Deno.cwd()}/x.js`)("evil")',
        '(await node("module")).createRequire(`file://${Deno.cwd()}/x.js`)("evil/inside.js")',
        `(await node("module")).createRequire("file://${temp}/x.js")("evil/inside.js")`,
        `import("file://${temp}/node_modules/evil/inside.js")`,
        `(await node("process")).loadEnvFile("${temp}/.env")`,
        '(await node("process")).loadEnvFile()',
      ],
      /not a dependency|--no-npm is specified|Cannot find module|MODULE_NOT_FOUND|Requires (?:read|env) access/,
    ),
  },
  {
    id: 'TS-28',
    what: 'find out whether files exist from the way access is refused',
    stoppedBy:
      'Deno checks the permission before it looks; the bootstrap (require does not look for files); OS',
    async attack({ run, places: { secrets } }) {
      const names = [
        secrets,
        `${secrets}/absent`,
        '/usr/lib/node_modules',
        '/absent/node_modules',
        '/etc/passwd',
        '/etc/absent',
      ];
      const outcomes = outcomesOf(
        await run(
          attemptProgram(
            names.flatMap((name) => [
              `Deno.statSync("${name}")`,
              `process.getBuiltinModule("fs").existsSync("${name}")`,
              `process.getBuiltinModule("module")._stat("${name}")`,
            ]),
          ),
        ),
      );
      const isSilent = ({ got, refusal }: { got?: string; refusal?: string }) =>
        got === '-1' || noPermission.test(refusal ?? '');
      assert.deepEqual(
        outcomes.filter((outcome) => !isSilent(outcome)),
        [],
      );
    },
  },
];
