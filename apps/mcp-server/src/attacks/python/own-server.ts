import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { until, withServer } from '../../started-server.test.support.js';
import { Arena } from '../arena.js';

/** Where a server keeps what Python starts from. */
export const pythonFolder = ({ places: { home } }: Arena) => join(home, '.code-executor', 'python');

/**
 * A server of one's own that keeps `spares` processes ready for Python; with the memory snapshot of another
 * one, which takes long to make.
 */
export async function withPythonServer(
  other: Arena,
  spares: 0 | 1,
  work: (server: Arena) => Promise<void>,
): Promise<void> {
  const config = { sandbox: { spares: { typescript: 0, python: spares } } };
  await withServer(Arena.start(other.mode, { config }), async (server) => {
    const folder = pythonFolder(server);
    await mkdir(folder, { recursive: true });
    await other.runPython('1');
    for (const name of await readdir(pythonFolder(other)))
      await cp(join(pythonFolder(other), name), join(folder, name));
    await work(server);
  });
}

export const untilSpare = (server: Arena) => until(async () => (await server.health()).spares?.ready === 1);
