import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { createHome } from '../../server-under-test/home.js';
import { untilGone } from '../../server-under-test/processes.js';
import { withServer } from '../../server-under-test/started-server.js';
import { until } from '../../server-under-test/until.js';
import { peakWhile, sandboxesOf, treeOf } from '../arena/measure.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import { StdioArena } from '../arena/stdio-arena.js';
import { untilSpare } from '../python/python-server.js';
import { permitEverything, runInside } from './compromised-runtime.js';

const rssMib = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Processes whose command line contains this text. */
function processesWith(text: string): number[] {
  return [...readdirSync('/proc')]
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
      } catch {
        return false;
      }
    });
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended together with its parent.
  }
}

/** Attacks that outlast an execution or a server, or affect the next execution. */
export const lifecycle: readonly ProgramAttack[] = [
  {
    id: 'RUN-01',
    what: 'leave something for the next program: globals, prototypes, modules, files, messages',
    stoppedBy: 'process (each program has its own, used once)',
    async attack({ run }) {
      const plant = `
        globalThis.planted = 1; Object.prototype.planted = 1; Array.prototype.map = () => ["planted"]; JSON.stringify = () => '"planted"';
        process.getBuiltinModule("fs").planted = 1; Deno.planted = 1; process.title = "planted"; Error.prepareStackTrace = () => "planted";
        const { DatabaseSync } = process.getBuiltinModule("sqlite"); new DatabaseSync(":memory:").exec("create table planted(x)");
        const channel = new BroadcastChannel("planted"); setInterval(() => channel.postMessage("planted"), 10);
        await new Promise((go) => setTimeout(go, 500)); Deno.exit(0);`;
      const look = `
        const heard = []; const channel = new BroadcastChannel("planted"); channel.onmessage = ({ data }) => heard.push(data);
        await new Promise((go) => setTimeout(go, 300)); channel.close();
        return { heard, found: [typeof planted, typeof {}.planted, [1].map((x) => x)[0], process.getBuiltinModule("fs").planted ?? "none", Deno.planted ?? "none", new Error("x").stack.slice(0, 8)] };`;
      const clean = { heard: [], found: ['undefined', 'undefined', 1, 'none', 'none', 'Error: x'] };
      const [, beside] = await Promise.all([run(plant), run(look)]);
      assert.deepEqual(beside.result, clean);
      assert.deepEqual((await run(look)).result, clean);
    },
  },
  {
    id: 'RUN-02',
    what: 'keep running after the end: beforeunload, unload and exit handlers, finalizers, a replaced Deno.exit',
    stoppedBy: 'server (SIGKILL to the group once the result is there)',
    async attack({ run }) {
      for (const [program, expected] of [
        [
          'addEventListener("beforeunload", (event) => { event.preventDefault(); setTimeout(() => {}, 100) }); return 1;',
          1,
        ],
        ['addEventListener("beforeunload", () => { for (;;); }); return 1;', 1],
        ['addEventListener("unload", () => { for (;;); }); return 1;', 1],
        ['process.on("exit", () => { for (;;); }); return 1;', 1],
        ['Deno.exit = () => {}; process.exit = () => {}; process.reallyExit = () => {}; return 1;', 1],
        [
          'const registry = new FinalizationRegistry(() => { for (;;); }); for (let i = 0; i < 1e5; i++) registry.register({}, i); return 1;',
          1,
        ],
        ['addEventListener("unload", () => { console.log("after the end") }); return 1;', 1],
        ['globalThis.dispatchEvent(new Event("beforeunload")); return 2;', undefined],
      ] as const) {
        const { result, executionTimeMs } = await run(program);
        assert.equal(result, expected, program);
        assert.ok(executionTimeMs < 10_000, program);
      }
    },
  },
  {
    id: 'RUN-03',
    what: 'outlive a server that is killed with SIGKILL',
    stoppedBy: 'OS (die with parent); portable: setpriv',
    async attack({ mode }) {
      await withServer(StdioArena.start(mode), async (server) => {
        // The second call is sent before the program starts its endless loop, and its answer is never read.
        const running = server
          .run(
            'Deno.addSignalListener("SIGTERM", () => {}); await callMCPTool("mcp__fixture__echo"); setTimeout(() => { for (;;); }); await callMCPTool("mcp__fixture__echo");',
            { allowedTools: ['*'], timeoutMs: 60_000 },
          )
          .catch(() => undefined);
        await until(async () => (await server.upstreamCalls()).length === 2);
        const sandboxes = sandboxesOf(server.pid).flatMap(treeOf);
        process.kill(server.pid, 'SIGKILL');
        const allGone = untilGone([server.pid, ...sandboxes]);
        const areGone = await Promise.race([allGone.then(() => true), delay(10_000, false, { ref: false })]);
        if (!areGone) sandboxes.forEach(killIfRunning);
        assert.ok(areGone, 'A sandbox is still running.');
        await running;
      });
    },
  },
  {
    id: 'RUN-04',
    what: "leave a child process behind when the program is killed, with the runtime's permissions off",
    stoppedBy: 'server (SIGKILL to the group)',
    notApplicable: { strict: 'there is no program to start' },
    async attack({ mode }) {
      const mark = `child-${randomUUID()}`;
      const { text, wasKilled } = await runInside(mode, ['leaveChild', mark], permitEverything, {
        killAfterMs: 1000,
      });
      const left = processesWith(`eval\0// ${mark}`);
      left.forEach(killIfRunning);
      assert.deepEqual([text, wasKilled, left], ['left\n', true, []]);
    },
  },
  {
    id: 'ALL-03',
    what: 'exhaust the server: 200 executions in a row; processes, descriptors, folders, memory',
    stoppedBy: 'server',
    async attack(server) {
      const { pid, run } = server;
      const programs = [
        'return 1',
        'throw new Error("x")',
        'Deno.exit(1)',
        'console.log("x".repeat(1e5))',
        'await callMCPTool("mcp__fixture__echo", { a: 1 })',
      ];
      const many = async (count: number) => {
        for (let i = 0; i < count; i++)
          await run(programs[i % programs.length] ?? '', { allowedTools: ['*'] });
      };
      await many(20);
      await untilSpare(server);
      const before = { descriptors: readdirSync(`/proc/${pid}/fd`).length, memory: rssMib(pid) };
      await many(180);
      await untilSpare(server);
      const after = { descriptors: readdirSync(`/proc/${pid}/fd`).length, memory: rssMib(pid) };
      assert.ok(
        after.descriptors <= before.descriptors + 5,
        `${before.descriptors} descriptors became ${after.descriptors}`,
      );
      assert.ok(after.memory <= before.memory + 64, `${before.memory} MiB became ${after.memory}`);
    },
  },
  {
    id: 'ALL-04',
    what: 'start more executions at once than the server runs and queues',
    stoppedBy: 'server (16 at once and 200 waiting; here two and three)',
    async attack({ mode }) {
      const config = { sandbox: { maxConcurrent: 2, maxQueued: 3, spares: { typescript: 0 } } };
      await withServer(StdioArena.start(mode, { config }), async (server) => {
        const running = Array.from({ length: 10 }, () =>
          server.run('await new Promise((go) => setTimeout(go, 500)); return 1;'),
        );
        const { value, peak } = await peakWhile(Promise.all(running), () => sandboxesOf(server.pid).length);
        assert.deepEqual(
          value.map(({ result, errorCode }) => result ?? errorCode),
          [...Array<number>(5).fill(1), ...Array<string>(5).fill('unavailable')],
        );
        // Besides the two running ones, some that have just ended may still exist.
        assert.ok(peak <= 4, `${peak} sandboxes`);
      });
    },
  },
  {
    id: 'ALL-05',
    what: 'get less than strict isolation: an older Deno, no bubblewrap, no user namespaces',
    stoppedBy: 'server (a required mode is used or refused, never replaced)',
    async attack({ mode }) {
      const folder = await createHome();
      const old = join(folder, 'deno');
      await writeFile(old, '#!/bin/sh\necho "deno 2.9.4 (stable, release, x86_64-unknown-linux-gnu)"\n');
      await chmod(old, 0o755);
      const config = { executors: { typescript: { denoPath: old } } };
      await withServer(StdioArena.start(mode, { config }), async (server) => {
        const { success, errorCode, error } = await server.run('return 1');
        assert.deepEqual({ success, errorCode }, { success: false, errorCode: 'failed_precondition' });
        assert.match(error ?? '', /2\.9\.4/);
        assert.equal((await server.health()).isolation, undefined);
      });
      await rm(folder, { recursive: true });
      if (mode === 'portable') return;
      const bubblewrap = execFileSync('/bin/sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).trim();
      const everything = [bubblewrap, '--dev-bind', '/', '/'];
      for (const wrapper of [
        [...everything, '--ro-bind', '/dev/null', bubblewrap],
        [...everything, '--unshare-user', '--disable-userns'],
      ]) {
        await withServer(StdioArena.start('strict', { wrapper: () => wrapper }), async (server) => {
          const { success, errorCode } = await server.run('return 1');
          assert.deepEqual({ success, errorCode }, { success: false, errorCode: 'failed_precondition' });
          assert.equal((await server.health()).isolation, undefined);
        });
        await withServer(StdioArena.start('auto', { wrapper: () => wrapper }), async (server) => {
          const { result, isolation } = await server.run('return 1');
          assert.deepEqual({ result, isolation }, { result: 1, isolation: 'portable' });
          const health = await server.health();
          assert.equal(health.isolation, 'portable');
          assert.match(health.note ?? '', /Bubblewrap/);
        });
      }
    },
  },
  {
    id: 'ALL-07',
    what: 'read secrets or the nonce from command lines and environments of running sandboxes',
    stoppedBy: 'server (the nonce and the program travel through the pipe)',
    async attack({ run, pid, places }) {
      const running = run(
        `const text = "${'marker'.repeat(3)}"; await new Promise((go) => setTimeout(go, 700)); return text;`,
        { permissions: { read: [places.readable] } },
      );
      const own = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      let seen = '';
      const ended = running.then(() => true);
      while (!(await Promise.race([ended, new Promise((go) => setTimeout(() => go(false), 50))]))) {
        for (const each of sandboxesOf(pid).flatMap(treeOf)) {
          try {
            const commandLine = readFileSync(`/proc/${each}/cmdline`, 'utf8');
            // Just after the fork, it still has the command line of the server.
            if (commandLine === own) continue;
            seen += commandLine + readFileSync(`/proc/${each}/environ`, 'utf8');
          } catch {
            // It has just ended.
          }
        }
      }
      assert.ok(seen.includes('bootstrap'));
      assert.doesNotMatch(seen, /CANARY|markermarker|\b[0-9a-f]{32}\b/);
    },
  },
];
