import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { until } from '../../server-under-test/until.js';
import type { Places } from '../arena/places.js';
import { eachRefused, type Refusal, withAttacked } from './attacked-server.js';
import type { ServerAttack } from './server-attack.js';

/** Replaces a file with something else. */
type Replace = (file: string, places: Places) => Promise<unknown>;

const toLink =
  (target: string): Replace =>
  (file) =>
    symlink(target, file);
const withMode =
  (mode: number): Replace =>
  async (file) => {
    await writeFile(file, '{}');
    await chmod(file, mode);
  };
const pipe: Replace = (file) => Promise.resolve(execFileSync('mkfifo', [file]));

const link = 'is a symbolic link; name the file itself';
const writable = 'can be written by every user; change that with chmod o-w';
const replacements: readonly [what: string, Replace][] = [
  [link, (file, { secrets }) => symlink(join(secrets, 'secret.json'), file)],
  [link, toLink('nowhere')],
  [link, toLink('/dev/zero')],
  [link, toLink('/dev/stdin')],
  ['is no regular file', pipe],
  ['is a directory', (file) => mkdir(file)],
  ['is larger than 1 MB', (file) => writeFile(file, '{}').then(() => truncate(file, 100_000_000))],
  [writable, withMode(0o666)],
  [writable, withMode(0o602)],
];
/** Only root can give a file away. */
const ofOthers: typeof replacements =
  process.getuid?.() === 0
    ? [
        [
          'belongs to another user; make it your own with chown',
          (file) => withMode(0o600)(file, {} as Places).then(() => chown(file, 65_534, 65_534)),
        ],
      ]
    : [];

const refusedStarts = [...replacements, ...ofOthers].map(([what, replace]): Refusal => [
  {
    env: { CODE_EXECUTOR_CONFIG_PATH: './secrets/../.code-executor.json' },
    prepare: (places, file) => rm(file).then(() => replace(file, places)),
  },
  `File FILE ${what}.`,
]);

/** Files that are not a configuration: the messages must not contain any of their text. */
const foreignFiles = [
  '../../../../../../../../etc/passwd',
  '/proc/self/environ',
  'secrets/secret.txt',
  'secrets/secret.js',
].map((path): Refusal => [
  { env: { CODE_EXECUTOR_CONFIG_PATH: path } },
  /^Configuration file \/[\w/.-]+: line 1, column 1: not valid JSON, [a-z ]+\.$/,
]);

/** Attacks on the place of the configuration. */
export const configPlaces: readonly ServerAttack[] = [
  {
    id: 'CFG-01',
    what: 'replace the configuration with a link, a pipe, a folder, 100 MB, a file of others or of the system, also while the server runs',
    stoppedBy:
      'server (only a regular file of its user or root, not writable for all, up to 1 MB; otherwise nothing changes)',
    async attack() {
      await eachRefused([
        ...refusedStarts,
        ...foreignFiles,
        [{ env: { CODE_EXECUTOR_CONFIG_PATH: '' } }, /^CODE_EXECUTOR_CONFIG_PATH is empty; /],
        [
          { env: { CODE_EXECUTOR_CONFIG_PATH: '/dev/tty/x' } },
          'File /dev/tty/x does not exist; correct or unset CODE_EXECUTOR_CONFIG_PATH.',
        ],
      ]);
      await withAttacked({}, async (server) => {
        const { pid, places, run } = server;
        const file = join(places.home, '.code-executor.json');
        for (const [what, replace] of [...replacements, ...ofOthers]) {
          const expected = `The configuration stays as it was: File ${file} ${what}.`;
          const timesBefore = server.output.log.split(expected).length;
          await rm(file, { recursive: true });
          await replace(file, places);
          process.kill(pid, 'SIGHUP');
          await until(() => server.output.log.split(expected).length > timesBefore);
          const { result, error } = await run('return 1');
          assert.deepEqual({ result, error }, { result: 1, error: undefined });
        }
        await rm(file, { recursive: true });
      });
    },
  },
];
