import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

import { until } from '../started-server.test.support.js';
import type { Arena } from './arena.js';
import type { Attack, Mode } from './attack.js';
import { sandboxesOf, treeOf } from './measure.js';

const noOsLayer = 'portable isolation has no layer of the operating system';

/** Runs a program that waits, and looks at its process from outside meanwhile. */
async function lookAtProcess(arena: Arena, look: (pid: number) => void): Promise<void> {
  const before = new Set(sandboxesOf(arena.pid));
  const caller = new AbortController();
  // With a grant, so that it starts cold: a spare could not be told from the one that is still there.
  const running = arena.run('await new Promise((go) => setTimeout(go, 20_000));', {
    permissions: { read: [arena.places.readable] },
    request: { signal: caller.signal },
  });
  const cancelled = assert.rejects(running);
  let pid: number | undefined;
  await until(() => {
    const started = sandboxesOf(arena.pid).find((each) => !before.has(each));
    const innermost = started === undefined ? undefined : treeOf(started).at(-1);
    const isRunning = innermost !== undefined && runsBootstrap(innermost) && hasWarmedUp(innermost);
    if (isRunning) pid = innermost;
    return isRunning;
  });
  try {
    look(pid ?? 0);
  } finally {
    caller.abort();
    await cancelled;
  }
}

function runsBootstrap(pid: number): boolean {
  try {
    const [command = '', ...rest] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return command.endsWith('deno') && rest.join(' ').includes('bootstrap');
  } catch {
    return false;
  }
}

/** Deno has its descriptors by the time it runs a program. */
function hasWarmedUp(pid: number): boolean {
  return readdirSync(`/proc/${pid}/fd`).length > 6;
}

function statusOf(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(/:\s*/, 2) as [string, string]));
}

/** Soft and hard limits, as `/proc/<pid>/limits` names them. */
function limitsOf(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/limits`, 'utf8').trim().split('\n').slice(1);
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, 26).trim(), line.slice(26, 68).trim().replace(/\s+/, ' ')]),
  );
}

const environmentNames: Record<Mode, string[]> = {
  strict: ['DENO_DIR', 'DENO_NO_UPDATE_CHECK', 'DENO_V8_FLAGS', 'DENO_WEBGPU_BACKEND', 'NO_COLOR', 'PWD'],
  portable: [
    'DENO_DIR',
    'DENO_EMIT_CACHE_MODE',
    'DENO_NO_UPDATE_CHECK',
    'DENO_V8_FLAGS',
    'DENO_WEBGPU_BACKEND',
    'NO_COLOR',
    'PWD',
  ],
};

/** The walls themselves, looked at from outside while a program runs. */
export const walls: readonly Attack[] = [
  {
    id: 'OS-01',
    what: 'share a name space with the server: processes, network, mounts, users, System V, host name, cgroups',
    stoppedBy: 'OS (bubblewrap)',
    notApplicable: { portable: noOsLayer },
    attack: (arena) =>
      lookAtProcess(arena, (pid) => {
        const spaces = ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'user', 'uts'];
        const shared = spaces.filter(
          (name) => readlinkSync(`/proc/${pid}/ns/${name}`) === readlinkSync(`/proc/self/ns/${name}`),
        );
        assert.deepEqual(shared, []);
      }),
  },
  {
    id: 'OS-02',
    what: 'keep privileges: capabilities, set-user-id programs, system calls without a filter',
    stoppedBy: 'OS (bubblewrap, seccomp)',
    notApplicable: { portable: noOsLayer },
    attack: (arena) =>
      lookAtProcess(arena, (pid) => {
        const { CapInh, CapPrm, CapEff, CapBnd, CapAmb, NoNewPrivs, Seccomp } = statusOf(pid);
        assert.deepEqual([...new Set([CapInh, CapPrm, CapEff, CapBnd, CapAmb])], ['0000000000000000']);
        assert.deepEqual({ NoNewPrivs, Seccomp }, { NoNewPrivs: '1', Seccomp: '2' });
      }),
  },
  {
    id: 'OS-03',
    what: 'inherit a variable of the environment',
    stoppedBy: 'process (started with a few variables of our own)',
    attack: (arena) =>
      lookAtProcess(arena, (pid) => {
        const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
        assert.deepEqual(
          variables.map((variable) => variable.split('=')[0]).sort(),
          environmentNames[arena.mode],
        );
      }),
  },
  {
    id: 'OS-04',
    what: 'inherit an open descriptor above 2: a file, a pipe, a socket of the server',
    stoppedBy: 'process (/dev/null in their places)',
    attack: (arena) =>
      lookAtProcess(arena, (pid) => {
        const targetOf = (owner: number | string, descriptor: string) => {
          try {
            return readlinkSync(`/proc/${owner}/fd/${descriptor}`);
          } catch {
            return '';
          }
        };
        const targets = [...readdirSync(`/proc/${pid}/fd`)].map((descriptor) => targetOf(pid, descriptor));
        const own = (target: string) =>
          /^(?:anon_inode:|\/dev\/null$|$|\/tmp\/deno\/)/.test(target) ||
          target.startsWith(`${arena.places.temp}/code-executor-`);
        const outside = targets.filter((target) => !own(target) && !/^socket:/.test(target));
        assert.deepEqual(outside, []);
        // Its sockets are the three streams and the runtime's own pairs: the server's others are not among them.
        const streams = ['0', '1', '2'].map((descriptor) => targetOf(pid, descriptor));
        const servers = [...readdirSync(`/proc/${arena.pid}/fd`)].map((descriptor) =>
          targetOf(arena.pid, descriptor),
        );
        assert.deepEqual(
          targets.filter(
            (target) =>
              /^(?:socket|pipe):/.test(target) && servers.includes(target) && !streams.includes(target),
          ),
          [],
        );
      }),
  },
  {
    id: 'OS-05',
    what: 'lift the limits: memory, file size, descriptors, CPU time, core files',
    stoppedBy: 'limits (hard ones, set before the runtime starts)',
    attack: (arena) =>
      lookAtProcess(arena, (pid) => {
        const limits = limitsOf(pid);
        const data = (512 + 256) * 1024 * 1024;
        const file = (arena.mode === 'strict' ? 8 : 4) * 1024 * 1024;
        assert.deepEqual(
          ['Max core file size', 'Max data size', 'Max file size', 'Max open files', 'Max cpu time'].map(
            (name) => limits[name],
          ),
          ['0 0', `${data} ${data}`, `${file} ${file}`, '256 256', '50 50'],
        );
      }),
  },
  {
    id: 'OS-06',
    what: 'see files: the mounts of the process',
    stoppedBy: 'OS (bubblewrap)',
    notApplicable: { portable: noOsLayer },
    attack: (arena) =>
      lookAtProcess(arena, (pid) => {
        const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
          .trim()
          .split('\n')
          .map((line) => line.split(' '));
        const folders = mounts.map(([, , , , folder = '']) => folder);
        const strange = folders.filter(
          (folder) =>
            !/^\/$|^\/tmp$|^\/app\/(?:deno|rt)$|^\/(?:usr\/)?lib(?:64)?\/.*\.so[.\d]*$/.test(folder) &&
            folder !== arena.places.readable,
        );
        assert.deepEqual(strange, []);
        const writable = mounts
          .filter(([, , , , , options = '']) => !options.split(',').includes('ro'))
          .map(([, , , , folder]) => folder);
        assert.deepEqual(writable, ['/tmp']);
        for (const [, , , , folder, options = ''] of mounts)
          assert.match(options, /nosuid.*nodev|nodev.*nosuid/, folder);
      }),
  },
  {
    id: 'OS-07',
    what: 'have a terminal, or the group and session of the server',
    stoppedBy: 'process; OS',
    attack: (arena) =>
      lookAtProcess(arena, (pid) => {
        const fields = (of: number | string) =>
          readFileSync(`/proc/${of}/stat`, 'utf8')
            .replace(/^.*\) /, '')
            .split(' ');
        const [, , group, session, terminal] = fields(pid);
        const [, , serverGroup, serverSession] = fields(arena.pid);
        assert.notEqual(group, serverGroup);
        assert.notEqual(session, serverSession);
        assert.equal(terminal, '0');
      }),
  },
  {
    id: 'OS-08',
    what: 'share the folder for caches and scratch files with another run, or with another user',
    stoppedBy: 'process (a folder of its own); strict: in memory; portable: mode 0700',
    attack: (arena) =>
      lookAtProcess(arena, (pid) => {
        const folder = /DENO_DIR=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1] ?? '';
        if (arena.mode === 'strict') {
          assert.equal(folder, '/tmp/deno');
          return;
        }
        const scratch = folder.replace(/\/deno$/, '');
        assert.ok(scratch.startsWith(`${arena.places.temp}/code-executor-`));
        assert.equal(statSync(scratch).mode & 0o777, 0o700);
        assert.equal(readlinkSync(`/proc/${pid}/cwd`), `${scratch}/work`);
      }),
  },
];
