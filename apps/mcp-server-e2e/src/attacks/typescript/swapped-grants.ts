import assert from 'node:assert/strict';
import { renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

import { withServer } from '../../server-under-test/started-server.js';
import type { Places } from '../arena/places.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import { StdioArena } from '../arena/stdio-arena.js';
import { neverReads } from './granted-secrets.js';

/** Swaps a folder for a link to secrets and back until `running` has settled. */
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

/** Replaces a folder with a link to secrets while it is being granted, a little later each time. */
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

/** Attacks that replace a granted folder: what is granted must be the folder that the operator meant. */
export const swappedGrants: readonly ProgramAttack[] = [
  {
    id: 'GRT-03',
    what: 'get a folder granted that is swapped for a link to secrets while the grant is resolved',
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
    what: 'replace a folder that the configuration names with a link to secrets, before or after the configuration is read',
    stoppedBy:
      'server (ceilings are opened once and kept; a link in a folder that programs can write to never decides one)',
    async attack({ mode }) {
      const swap = async ({ secrets }: Places, folder: string) => {
        await rename(folder, `${folder}-away`);
        await symlink(secrets, folder);
      };
      const start = (prepare: (places: Places) => Promise<unknown>) =>
        StdioArena.start(mode, {
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
];
