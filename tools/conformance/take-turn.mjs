/** Turns, because the suites start all clients at once, and waiting for the processor is not what they measure. */
import { mkdir, rmdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const places = availableParallelism();

/** Waits until fewer clients than processors run in this folder; resolves with what gives the place to another. */
export async function takeTurn() {
  for (;;) {
    for (let place = 0; place < places; place += 1) {
      const folder = join(process.cwd(), `turn-${place}`);
      const isTaken = await mkdir(folder).catch((error) => error.code === 'EEXIST' || Promise.reject(error));
      if (!isTaken) return () => rmdir(folder);
    }
    await delay(50);
  }
}
