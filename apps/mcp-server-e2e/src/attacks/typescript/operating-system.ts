import assert from 'node:assert/strict';

import type { ProgramAttack } from '../arena/program-attack.js';
import {
  type Command,
  permitEverything,
  resultInside,
  runInside,
  withoutFilter,
  withoutWalls,
} from './compromised-runtime.js';

const notApplicable = { portable: 'portable isolation has no layer in the operating system' };
const stoppedBy = 'OS (seccomp)';
const EPERM = -1;
const ENOSYS = -38;
/** The calls that the filter answers like a kernel without them. */
const absentCalls = ['clone3', 'openat2', 'setxattrat'];
const isRefused = ([name, result]: [name: string, result: number]) =>
  result === (absentCalls.includes(name) ? ENOSYS : EPERM);

/** An attack that checks that each of these system calls is refused. */
function refusesCalls(pattern: RegExp): ProgramAttack['attack'] {
  return async () => {
    const results = await resultInside<Record<string, number>>(['calls']);
    const tried = Object.entries(results).filter(([name]) => pattern.test(name));
    assert.ok(tried.length > 0);
    assert.deepEqual(
      tried.filter((each) => !isRefused(each)),
      [],
    );
  };
}

/**
 * Attacks with a compromised runtime: its permissions are switched off in the product's own command line, and system
 * calls are made directly.
 */
export const operatingSystem: readonly ProgramAttack[] = [
  {
    id: 'OS-09',
    what: 'with a compromised runtime: open, bind or accept a socket of any family',
    stoppedBy,
    notApplicable,
    attack: refusesCalls(/^(?:socket|connect|bind|listen|accept)/),
  },
  {
    id: 'OS-10',
    what: 'with a compromised runtime: start a process (fork, vfork, clone, clone3, execveat)',
    stoppedBy,
    notApplicable,
    async attack(arena) {
      await refusesCalls(/^(?:fork|clone|exec)/)(arena);
      assert.deepEqual(await resultInside(['vfork']), [EPERM]);
    },
  },
  {
    id: 'OS-11',
    what: 'with a compromised runtime: trace, read, signal or take descriptors from another process',
    stoppedBy,
    notApplicable,
    attack: refusesCalls(/^(?:ptrace|process_vm|kcmp|pidfd|kill|tkill)/),
  },
  {
    id: 'OS-12',
    what: 'with a compromised runtime: mount, change the root, enter or create namespaces',
    stoppedBy,
    notApplicable,
    attack: refusesCalls(/^(?:unshare|setns|mount|umount|pivot|chroot|open_tree|fsopen)/),
  },
  {
    id: 'OS-13',
    what: 'with a compromised runtime: links, set-user-id and sticky bits, calls that are newer than the filter; io_uring, bpf, keys, modules, handles, quotas, clocks, System V, everything else that is refused',
    stoppedBy,
    notApplicable,
    attack: refusesCalls(/./),
  },
  {
    id: 'OS-14',
    what: 'with a compromised runtime: bypass the filter with system calls of another interface (x32, i386)',
    stoppedBy,
    notApplicable,
    async attack() {
      if (process.arch !== 'x64') return;
      // SIGSYS: the filter ended the process.
      const { exit: x32 } = await runInside('strict', ['x32'], permitEverything);
      assert.equal(x32.signal, 31);
      // SIGSEGV: the kernel was built without that interface.
      const { exit: i386, text } = await runInside('strict', ['i386'], permitEverything);
      assert.ok(i386.signal === 31 || i386.signal === 11, text);
    },
  },
  {
    id: 'OS-15',
    what: 'with a compromised runtime: look for /etc, home, /dev, /proc, users, hosts, processes, variables',
    stoppedBy: 'OS (bubblewrap)',
    notApplicable,
    async attack({ places }) {
      const seen = await resultInside<Record<string, unknown>>([
        'look',
        places.home,
        `${places.secrets}/secret.txt`,
        process.cwd(),
      ]);
      const { root, environment: variables, interfaces, command, ...others } = seen;
      assert.deepEqual(
        (root as string[]).filter((name) => !['app', 'lib', 'lib64', 'proc', 'usr'].includes(name)),
        [],
      );
      assert.deepEqual(others, {
        found: [],
        proc: ['self'],
        self: ['exe'],
        temp: ['deno'],
        host: 'sandbox',
        user: [65534, 65534],
        cwd: '/app/scratch',
        processes: [2, 1],
      });
      assert.deepEqual(variables, [
        'DENO_DIR',
        'DENO_NO_UPDATE_CHECK',
        'DENO_V8_FLAGS',
        'DENO_WEBGPU_BACKEND',
        'NO_COLOR',
        'PWD',
      ]);
      assert.deepEqual([interfaces, typeof command], ['EPERM', 'string']);
    },
  },
  {
    id: 'OS-16',
    what: 'with a compromised runtime: write to the root, the product or the runtime; fill the scratch space',
    stoppedBy: 'OS (bubblewrap); limits (file size)',
    notApplicable,
    async attack() {
      const { answers, large, megabytes, full } = await resultInside<{
        answers: [string, string][];
        large: string;
        megabytes: number;
        full: string;
      }>(['write']);
      assert.deepEqual(
        answers.filter(([, answer]) => !/^(?:EROFS|EACCES|Text file busy)/.test(answer)),
        [],
      );
      assert.match(large, /File too large/);
      assert.equal(full, 'ENOSPC');
      assert.ok(megabytes < 16, `${megabytes} MiB`);
    },
  },
  {
    id: 'OS-17',
    what: 'with a compromised runtime: raise the limits again; type into a terminal',
    stoppedBy: 'limits (hard ones); OS (no capabilities, no terminal)',
    notApplicable,
    async attack() {
      assert.deepEqual(await resultInside(['limits']), [EPERM, EPERM, EPERM, EPERM, EPERM]);
      assert.deepEqual(await resultInside(['terminal']), [-25, -25]);
    },
  },
  {
    id: 'OS-18',
    what: 'with a compromised runtime and the filter off: reach a server on this machine, another network, create a namespace',
    stoppedBy: 'OS (bubblewrap alone)',
    notApplicable,
    async attack({ places: { port, socket, abstractSocket } }) {
      const change = (command: Command) => {
        permitEverything(command);
        withoutFilter(command);
      };
      const reached = await resultInside<string[]>(['connect', String(port), socket, abstractSocket], change);
      assert.deepEqual(reached, ['ECONNREFUSED', 'ENETUNREACH', 'ENOENT', 'ECONNREFUSED']);
      const results = await resultInside<Record<string, number>>(['calls'], change);
      // ENOSPC: no further user namespace is allowed.
      assert.equal(results['clone (name spaces)'], -28);
      const seen = await resultInside<{ found: string[]; command: string }>(['look', '/'], change);
      assert.deepEqual([seen.found, seen.command], [['/'], 'ENOENT']);
    },
  },
  {
    id: 'OS-19',
    what: 'with a compromised runtime and bubblewrap off: open sockets, start processes, interfere with others',
    stoppedBy: 'OS (seccomp alone)',
    notApplicable,
    async attack({ places: { port, socket, abstractSocket } }) {
      const change = async (command: Command) => {
        permitEverything(command);
        await withoutWalls(command);
      };
      const results = await resultInside<Record<string, number>>(['calls'], change);
      assert.deepEqual(
        Object.entries(results).filter((each) => !isRefused(each)),
        [],
      );
      const reached = await resultInside<string[]>(['connect', String(port), socket, abstractSocket], change);
      assert.deepEqual([...new Set(reached)], ['EPERM']);
    },
  },
];
