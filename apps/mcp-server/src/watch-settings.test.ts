import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { silentLogger } from '@code-executor/contracts';
import { expect, test } from '@jest/globals';

import type { FoundSettings } from './read-settings.js';
import { watchSettings } from './watch-settings.js';

test('watchSettings reports that a file of servers is broken, and that it is repaired', async () => {
  const one = { one: { command: 'one' } };
  const two = { two: { command: 'two' } };
  const settings: FoundSettings = {
    config: {},
    servers: one,
    warnings: [],
    places: [],
    unusable: [],
    keptFiles: [],
    projectFiles: [],
  };
  const found = [
    { ...settings, keptFiles: ['half written'] },
    { ...settings, keptFiles: ['half written'] },
    { ...settings, servers: two },
  ];
  const reported: unknown[] = [];
  const read = watchSettings({
    settings,
    places: [],
    read: () => Promise.resolve(found.shift() ?? settings),
    onRead: ({ servers }, hasChanged) => void reported.push([Object.keys(servers), hasChanged]),
    onProblem: (problem) => void reported.push(problem),
    logger: silentLogger,
  });
  await read();
  expect(reported.splice(0)).toEqual([
    'The servers of a file stay as they were until it can be read.',
    [['one'], false],
  ]);
  await read();
  expect(reported).toEqual([undefined, [['two'], true]]);
});

test('watchSettings waits before it takes a file as removed, because editors remove it while they save', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'watch-settings-'));
  const file = join(folder, 'config.json');
  await writeFile(file, 'before');
  const seen: boolean[] = [];
  const settings: FoundSettings = {
    config: {},
    servers: {},
    warnings: [],
    places: [file],
    unusable: [],
    keptFiles: [],
    projectFiles: [],
  };
  const read = new Promise<void>((resolve) => {
    watchSettings({
      settings,
      places: settings.places,
      read() {
        seen.push(existsSync(file));
        resolve();
        return Promise.resolve({ ...settings, places: [] });
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
