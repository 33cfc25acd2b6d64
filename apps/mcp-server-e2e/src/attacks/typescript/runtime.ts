import assert from 'node:assert/strict';

import type { ExecutionReport } from '@code-executor/executor';

import { changesOf } from '../arena/places.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import type { StdioArena } from '../arena/stdio-arena.js';
import { environment } from './environment.js';
import { files } from './files.js';
import { grantedFolders } from './granted-folders.js';
import { imports } from './imports.js';
import { permitEverything, runInside, runUnguarded } from './compromised-runtime.js';
import { network } from './network.js';
import { processes } from './processes.js';

/** Attacks on the runtime alone, and on everything but the runtime. */
export const runtime: readonly ProgramAttack[] = [
  {
    id: 'TS-29',
    what: 'call every internal operation of the runtime with paths, addresses and numbers',
    stoppedBy: 'Deno (each operation checks its permission); the bootstrap removes them; OS',
    async attack({ mode, places }) {
      const script = new URL('./inside/operations.js', import.meta.url);
      let next = 0;
      let all = Infinity;
      let text = '';
      // An operation may end the process, or hang it until it is killed; the next process continues after it.
      while (next < all) {
        const { text: printed } = await runInside(
          mode,
          [String(next), places.secrets, String(places.port)],
          undefined,
          { script, killAfterMs: 3000 },
        );
        const done = [...printed.matchAll(/^(\d+) of (\d+) /gm)];
        const last = done.at(-1);
        assert.ok(last, printed.slice(0, 1000));
        next = Number(last[1]) + 1;
        all = Number(last[2]);
        text += printed;
      }
      assert.ok(all > 300, `${all} operations`);
      assert.doesNotMatch(text, /CANARY|root:x:0:0/);
    },
  },
  {
    id: 'LIM-07',
    what: 'use CPU for longer than an execution may, when there is no server to end it',
    stoppedBy: 'limits (RLIMIT_CPU)',
    async attack({ mode }) {
      const { exit, wasKilled } = await runInside(mode, ['spin'], permitEverything, { cpuSeconds: 1 });
      // The limit sends SIGXCPU or SIGKILL; the test itself would also kill the process if nothing else ended it.
      assert.deepEqual([wasKilled, [24, 9].includes(exit.signal ?? 0)], [false, true], JSON.stringify(exit));
    },
  },
  {
    id: 'ALL-01',
    what: "make the attacks on imports, files, environment, network and processes with the runtime's permissions off",
    stoppedBy: 'OS alone',
    notApplicable: { portable: 'portable isolation has no layer in the operating system' },
    async attack(arena) {
      const reports: string[] = [];
      const unguarded = Object.create(arena, {
        run: {
          value: async (code: string, { timeoutMs = 20_000 } = {}): Promise<ExecutionReport> => {
            const { value, stdout, ...result } = await runUnguarded(code, timeoutMs);
            reports.push(JSON.stringify({ value, stdout, ...result }));
            return {
              success: result.status === 'succeeded',
              status: result.status,
              output: stdout,
              ...(value !== undefined && { result: value }),
              ...(result.error && { error: result.error.message, errorCode: result.error.code }),
            } as ExecutionReport;
          },
        },
      }) as StdioArena;
      for (const { attack } of [
        ...imports,
        ...files,
        ...grantedFolders,
        ...environment,
        ...network,
        ...processes,
      ]) {
        // The errors differ here, so only what the programs got is checked.
        await attack(unguarded).catch(() => undefined);
      }
      assert.ok(reports.length >= 50, `${reports.length} programs`);
      const { canary } = arena.places;
      for (const secret of [
        canary,
        Buffer.from(canary).toString('base64'),
        'root:x:0:0',
        arena.places.home + '/.ssh',
      ]) {
        assert.deepEqual(
          reports.filter((report) => report.includes(secret)).map((report) => report.slice(0, 500)),
          [],
        );
      }
      assert.deepEqual(arena.takeCaught(), []);
      assert.deepEqual(
        (await changesOf(arena.places)).filter((change) => !change.startsWith('temp/')),
        [],
      );
    },
  },
];
