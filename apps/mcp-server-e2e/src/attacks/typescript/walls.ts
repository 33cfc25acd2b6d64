import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import type { ProgramAttack } from '../arena/program-attack.js';
import { environmentNames, limitsOf, inspectProcess } from './inspect-process.js';

const noOsLayer = 'portable isolation has no layer in the operating system';

function statusOf(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(/:\s*/, 2) as [string, string]));
}

/** Checks of the walls themselves, inspected from outside while a program runs. */
export const walls: readonly ProgramAttack[] = [
  {
    id: 'OS-01',
    what: 'share a namespace with the server: processes, network, mounts, users, System V, host name, cgroups',
    stoppedBy: 'OS (bubblewrap)',
    notApplicable: { portable: noOsLayer },
    attack: (arena) =>
      inspectProcess(arena, (pid) => {
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
      inspectProcess(arena, (pid) => {
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
      inspectProcess(arena, (pid) => {
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
    stoppedBy: 'process (/dev/null instead)',
    attack: (arena) =>
      inspectProcess(arena, (pid) => {
        const targetOf = (owner: number | string, descriptor: string) => {
          try {
            return readlinkSync(`/proc/${owner}/fd/${descriptor}`);
          } catch {
            return '';
          }
        };
        const targets = [...readdirSync(`/proc/${pid}/fd`)].map((descriptor) => targetOf(pid, descriptor));
        const own = (target: string) =>
          /^(?:anon_inode:|\/dev\/null$|$|\/app\/scratch\/deno\/)/.test(target) ||
          // The C library reads this for the bounds of its stack, and closes it at once.
          target === `/proc/${pid}/maps` ||
          target.startsWith(`${arena.places.temp}/code-executor-`);
        const outside = targets.filter((target) => !own(target) && !/^socket:/.test(target));
        assert.deepEqual(outside, []);
        // Its sockets are the three streams and the runtime's own pairs, and no others of the server.
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
      inspectProcess(arena, (pid) => {
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
    what: 'see files through the mounts of the process',
    stoppedBy: 'OS (bubblewrap)',
    notApplicable: { portable: noOsLayer },
    attack: (arena) =>
      inspectProcess(arena, (pid) => {
        const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
          .trim()
          .split('\n')
          .map((line) => line.split(' '));
        const folders = mounts.map(([, , , , folder = '']) => folder);
        const strange = folders.filter(
          (folder) =>
            !/^\/$|^\/app\/(?:deno|rt|scratch)$|^\/(?:usr\/)?lib(?:64)?\/.*\.so[.\d]*$/.test(folder) &&
            folder !== arena.places.readable,
        );
        assert.deepEqual(strange, []);
        const writable = mounts
          .filter(([, , , , , options = '']) => !options.split(',').includes('ro'))
          .map(([, , , , folder]) => folder);
        assert.deepEqual(writable, ['/app/scratch']);
        for (const [, , , , folder, options = ''] of mounts)
          assert.match(options, /nosuid.*nodev|nodev.*nosuid/, folder);
      }),
  },
  {
    id: 'OS-07',
    what: 'have a terminal, or be in the process group or session of the server',
    stoppedBy: 'process; OS',
    attack: (arena) =>
      inspectProcess(arena, (pid) => {
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
      inspectProcess(arena, (pid) => {
        const folder = /DENO_DIR=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1] ?? '';
        if (arena.mode === 'strict') {
          assert.equal(folder, '/app/scratch/deno');
          return;
        }
        const scratch = folder.replace(/\/deno$/, '');
        assert.ok(scratch.startsWith(`${arena.places.temp}/code-executor-`));
        for (const path of [scratch, dirname(scratch)]) assert.equal(statSync(path).mode & 0o777, 0o700);
        assert.equal(readlinkSync(`/proc/${pid}/cwd`), `${scratch}/work`);
      }),
  },
];
