import { readFile, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { ChangingSource, described, sendMail } from './changing-source.test.support.js';
import { readChanges } from './index.js';
import { listed, PinsFolder, today } from './pins-folder.test.support.js';

const folder = new PinsFolder();

describe('a file that cannot be used', () => {
  const damaged =
    'pinned-tools.json is damaged; restore it, or delete it, which pins all tools as they are then.';
  test.each([
    ['is not JSON', '{"version":1,'],
    ['has another version', '{"version":2,"servers":[]}'],
    [
      'has a pin without a hash',
      '{"version":1,"servers":[{"identity":"a","server":"a","tools":[{"tool":"t","at":"","pinned":{"hash":"","parts":{}}}]}]}',
    ],
    ['is nested too deep', `{"version":1,"servers":${'['.repeat(300)}${']'.repeat(300)}}`],
  ])('and %s stays as it is; enforce blocks every tool', async (_what, text) => {
    await folder.pin(new ChangingSource({}));
    await folder.pin(new ChangingSource(described('one')));
    await writeFile(folder.file, text);
    const source = new ChangingSource(described('two'));
    const pins = folder.open(source, { policy: 'enforce' });
    expect((await listed(pins))[0]?.unavailable?.reason).toBe(
      `The definitions that were approved are not known: ${damaged}`,
    );
    await expect(pins.callTool(sendMail, {})).rejects.toMatchObject({ code: 'permission_denied' });
    expect(await pins.status([])).toMatchObject({ problem: damaged });
    await pins.close();
    expect([await readFile(folder.file, 'utf8'), source.calls]).toEqual([text, 0]);
  });

  test('because it is a link is not followed and not replaced', async () => {
    await folder.pin(new ChangingSource(described('one')));
    const target = join(folder.path, 'elsewhere.json');
    await writeFile(target, '{"version":1,"servers":[]}');
    await unlink(folder.file);
    await symlink(target, folder.file);
    const pins = folder.open(new ChangingSource(described('two')));
    expect((await listed(pins))[0]).not.toHaveProperty('unavailable');
    await pins.close();
    expect((await pins.status([])).problem).toBe(
      'File pinned-tools.json is a symbolic link; name the file itself.',
    );
    expect(await readFile(target, 'utf8')).toBe('{"version":1,"servers":[]}');
  });

  test('because it has disappeared is written again by a process that knows it', async () => {
    const source = new ChangingSource(described('one'));
    const pins = folder.open(source);
    await listed(pins);
    await pins.close();
    await unlink(folder.file);
    source.list(described('two'));
    await listed(pins);
    await pins.close();
    expect((await readChanges(folder.file))[0]?.what).toBe('description (was "one", now "two")');
  });
});

describe('many and large definitions', () => {
  test('10,000 tools with long texts fit into the folder.file, and a change is found in the last one', async () => {
    const tools = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [
        `mcp__big__t${index}`,
        { description: `${index}`.repeat(300) },
      ]),
    );
    const source = new ChangingSource(tools);
    await folder.pin(source);
    expect((await stat(folder.file)).size).toBeLessThan(8_000_000);
    source.list({ ...tools, mcp__big__t9999: { description: 'now this' } });
    const pins = folder.open(source);
    expect((await listed(pins)).filter(({ changed }) => changed !== undefined)).toMatchObject([
      { name: 'mcp__big__t9999', changed: `Changed since ${today}: description (new: "now this").` },
    ]);
  });

  test('tools beyond 10,000 of a server are not trusted under enforce', async () => {
    const names = Array.from({ length: 10_001 }, (_, index) => `mcp__big__t${index}`);
    const source = new ChangingSource(Object.fromEntries(names.map((name) => [name, {}])));
    const pins = folder.open(source, { policy: 'enforce' });
    const blocked = (await listed(pins)).filter(({ unavailable }) => unavailable);
    expect(blocked.map(({ name }) => name)).toEqual(['mcp__big__t10000']);
    expect((await pins.status(['big'])).problem).toBe(
      'pinned-tools.json is full; some tools are not pinned.',
    );
  });
});
