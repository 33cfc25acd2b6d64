import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterEach, describe, expect, test } from '@jest/globals';

import { noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { PyodideSandbox } from './pyodide-sandbox.js';
import { snapshotDir } from './snapshot-dir.test.support.js';

describe.each(isolationsUnderTest())('Spare processes of Python (%s)', (isolation) => {
  let sandbox: PyodideSandbox;
  afterEach(() => sandbox.close());

  const run = (code: string) =>
    sandbox.execute({ code, timeoutMs: 30_000, permissions: noPermissions, tools: fakeToolSource({}) });
  const untilReady = async (count: number) => {
    for (;;) {
      const { spares } = await sandbox.status();
      if (spares?.ready === count) return spares;
      await delay(20);
    }
  };

  test('run one program each, which leaves nothing behind and has its own random numbers', async () => {
    sandbox = new PyodideSandbox({ isolation, snapshotDir: snapshotDir(), spares: { count: 1 } });
    expect((await sandbox.status()).spares).toEqual({ ready: 0, memoryMb: 0 });
    const code = `
import builtins, json, os, random, sys, uuid, js
seen = [hasattr(builtins, "left"), "left" in sys.modules, os.path.exists("/tmp/left"), "LEFT" in os.environ, hasattr(js, "left")]
builtins.left = 1
sys.modules["left"] = json
open("/tmp/left", "w").close()
os.environ["LEFT"] = "1"
js.left = 1
[seen, random.random(), str(uuid.uuid4())]`;
    const values: [seen: boolean[], random: number, id: string][] = [];
    for (let round = 0; round < 3; round++) {
      if (round > 0) await untilReady(1);
      values.push((await run(code)).value as unknown as (typeof values)[number]);
    }
    expect(values.map(([seen]) => seen)).toEqual(
      Array.from({ length: 3 }, () => [false, false, false, false, false]),
    );
    expect(new Set(values.map(([, random]) => random)).size).toBe(3);
    expect(new Set(values.map(([, , id]) => id)).size).toBe(3);
  });

  test('end if packages are added, because they have read the old list', async () => {
    const packagesDir = await mkdtemp(join(tmpdir(), 'packages-'));
    try {
      const spares = { count: 2, maxMemoryMb: 1024 };
      sandbox = new PyodideSandbox({ isolation, snapshotDir: snapshotDir(), spares, packagesDir });
      await run('1');
      await untilReady(2);
      await writeFile(join(packagesDir, 'pyodide-lock.json'), '{"info":{},"packages":{}}');
      const running = run('2');
      expect((await sandbox.status()).spares?.ready).toBe(0);
      expect((await running).value).toBe(2);
    } finally {
      await sandbox.close();
      await rm(packagesDir, { recursive: true, force: true });
    }
  });

  test('end if they are not used for a while', async () => {
    // Shorter than the start of a spare, because the time counts from when it is ready.
    sandbox = new PyodideSandbox({ isolation, snapshotDir: snapshotDir(), spares: { idleMs: 1500 } });
    await run('1');
    expect((await untilReady(1)).memoryMb).toBeGreaterThan(100);
    await untilReady(0);
    while (interpreters().length > 0) await delay(20);
  });
});

/** The descendants of this process that run our entry script. */
function interpreters(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const isOurs = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/bootstrap.js');
      return isOurs && readFileSync(`/proc/${pid}/status`, 'utf8').includes(`PPid:\t${process.pid}\n`);
    } catch {
      return false;
    }
  });
}
