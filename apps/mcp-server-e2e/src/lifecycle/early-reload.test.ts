import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from '@jest/globals';

import { StartedServer, withServer } from '../server-under-test/started-server.js';
import { until } from '../server-under-test/until.js';

test('a configuration that changes while the first programs start the server does not make any of them fail', async () => {
  await withServer(StartedServer.start(), async (server) => {
    const programs = [server.run('return 1'), server.run('return 2')];
    await writeFile(join(server.home, '.code-executor.json'), JSON.stringify({ pool: { maxQueued: 100 } }));
    process.kill(server.pid, 'SIGHUP');
    const reports = await Promise.all(programs);
    expect(reports.map(({ result, error }) => result ?? error)).toEqual([1, 2]);
  });
});

test('a SIGHUP that comes before the files are watched makes the server read them once they are', async () => {
  await withServer(StartedServer.start({ '.code-executor.json': '{' }), async (server) => {
    await writeFile(join(server.home, '.code-executor.json'), '{}');
    process.kill(server.pid, 'SIGHUP');
    await until(async () => (await server.run('return 1')).success);
  });
});
