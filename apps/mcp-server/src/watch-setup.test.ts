import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { silentLogger } from '@code-executor/contracts';
import { expect, test } from '@jest/globals';

import type { Prepared } from './prepare.js';
import { watchSetup } from './watch-setup.js';

test('watchSetup tells that a file of servers is broken, and when it is mended', async () => {
  const one = { one: { command: 'one' } };
  const two = { two: { command: 'two' } };
  const prepared: Prepared = {
    config: {},
    servers: one,
    warnings: [],
    version: '1.2.3',
    places: [],
    unusable: [],
    keptFiles: [],
    projectFiles: [],
  };
  const found = [
    { ...prepared, keptFiles: ['half written'] },
    { ...prepared, keptFiles: ['half written'] },
    { ...prepared, servers: two },
  ];
  const told: unknown[] = [];
  const read = watchSetup({
    prepared,
    places: [],
    prepare: () => Promise.resolve(found.shift() ?? prepared),
    onRead: ({ servers }, hasChanged) => void told.push([Object.keys(servers), hasChanged]),
    onProblem: (problem) => void told.push(problem),
    logger: silentLogger,
  });
  await read();
  expect(told.splice(0)).toEqual([
    'The servers of a file stay as they were until it can be read.',
    [['one'], false],
  ]);
  await read();
  expect(told).toEqual([undefined, [['two'], true]]);
});

test('watchSetup does not believe at once that a file is gone: editors take it away when they save it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'watch-setup-'));
  const file = join(folder, 'config.json');
  await writeFile(file, 'before');
  const seen: boolean[] = [];
  const prepared: Prepared = {
    config: {},
    servers: {},
    warnings: [],
    version: '1.2.3',
    places: [file],
    unusable: [],
    keptFiles: [],
    projectFiles: [],
  };
  const read = new Promise<void>((resolve) => {
    watchSetup({
      prepared,
      places: prepared.places,
      prepare() {
        seen.push(existsSync(file));
        resolve();
        return Promise.resolve({ ...prepared, places: [] });
      },
      onRead: () => undefined,
      onProblem: () => undefined,
      logger: silentLogger,
    });
  });
  await rm(file);
  process.emit('SIGHUP');
  await new Promise(setImmediate);
  await writeFile(file, 'after');
  await read;
  expect(seen).toEqual([true]);
  await rm(folder, { recursive: true });
});
