import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { DenoSandbox } from './deno-sandbox.js';
import { denoProcessesWithHeap } from './sandbox-processes.test.support.js';

/** Unique to this file, so that the processes of other tests are not counted. */
const heapMb = 117;

describe.each(isolationsUnderTest())('The processes of a program (%s)', (isolation) => {
  let sandbox: DenoSandbox;
  beforeAll(async () => {
    sandbox = new DenoSandbox({ isolation, heapMb, spares: { count: 0 } });
    await sandbox.status();
  });
  afterAll(() => sandbox.close());

  const run = (code: string, signal?: AbortSignal) =>
    sandbox.execute({
      code,
      timeoutMs: 20_000,
      permissions: noPermissions,
      tools: fakeToolSource({}),
      ...(signal && { signal }),
    });
  const untilGone = async () => {
    while (denoProcessesWithHeap(heapMb).length > 0) await delay(10);
  };

  test.each(['return 1', 'throw 1', 'Deno.exit(0)', '(await import("node:process")).default.abort()'])(
    'are gone after the program %j',
    async (code) => {
      await run(code);
      await untilGone();
    },
  );

  // A process that is killed while it starts may have children that do not end with it yet.
  test('are gone if the program is cancelled at any moment of its start', async () => {
    for (let afterMs = 0; afterMs < 24; afterMs++) {
      const controller = new AbortController();
      const running = run('for (;;) {}', controller.signal);
      await delay(afterMs);
      controller.abort();
      expect((await running).status).toBe('cancelled');
    }
    await untilGone();
  });
});
