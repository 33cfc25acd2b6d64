import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { withServer } from '../../server-under-test/started-server.js';
import { until } from '../../server-under-test/until.js';
import { StdioArena } from '../arena/stdio-arena.js';

/** The folder in which a server stores the snapshots that Python starts from. */
export const pythonFolder = ({ places: { home } }: StdioArena) => join(home, '.code-executor', 'python');

/**
 * Starts a server that keeps `spares` processes ready for Python. It gets the memory snapshot of another server, because
 * a snapshot takes long to create.
 */
export async function withPythonServer(
  other: StdioArena,
  spares: 0 | 1,
  work: (server: StdioArena) => Promise<void>,
): Promise<void> {
  const config = { sandbox: { spares: { typescript: 0, python: spares } } };
  await withServer(StdioArena.start(other.mode, { config }), async (server) => {
    const folder = pythonFolder(server);
    await mkdir(folder, { recursive: true });
    await other.runPython('1');
    for (const name of await readdir(pythonFolder(other)))
      await cp(join(pythonFolder(other), name), join(folder, name));
    await work(server);
  });
}

/** Waits until a spare process is ready. */
export const untilSpare = (server: StdioArena) =>
  until(async () => (await server.health()).spares?.ready === 1);
