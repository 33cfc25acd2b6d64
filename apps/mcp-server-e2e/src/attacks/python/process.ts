import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { treeOf } from '../arena/measure.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import type { StdioArena } from '../arena/stdio-arena.js';
import { echo, environmentNames, limitsOf, inspectProcess } from '../typescript/inspect-process.js';

const look = (arena: StdioArena, at: (pid: number) => void) =>
  inspectProcess(arena, at, ({ runPython }, options) =>
    runPython(`import asyncio\nawait call_mcp_tool("${echo}", {})\nawait asyncio.sleep(20)`, options),
  );

/** Checks of the process of a Python program from outside, where it differs from a TypeScript process. */
export const pythonProcess: readonly ProgramAttack[] = [
  {
    id: 'PY-32',
    what: 'have more than a TypeScript process has: variables, processes, memory, files of other sizes',
    stoppedBy: 'limits (hard ones, set before the runtime starts); process',
    attack: (arena) =>
      look(arena, (pid) => {
        const limits = limitsOf(pid);
        // An idle Deno, the program, and what Deno keeps when Python has none left.
        const data = (512 + 512 + 64) * 1024 * 1024;
        const file = (arena.mode === 'strict' ? 8 : 4) * 1024 * 1024;
        assert.deepEqual(
          ['Max core file size', 'Max data size', 'Max file size', 'Max open files', 'Max cpu time'].map(
            (name) => limits[name],
          ),
          ['0 0', `${data} ${data}`, `${file} ${file}`, '256 256', '50 50'],
        );
        const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
        assert.deepEqual(
          variables.map((variable) => variable.split('=')[0]).sort(),
          environmentNames[arena.mode],
        );
        assert.deepEqual(treeOf(pid), [pid]);
      }),
  },
  {
    id: 'PY-33',
    what: 'see or change files through the mounts of the process, with interpreter, packages and snapshot',
    stoppedBy: 'OS (bubblewrap)',
    notApplicable: { portable: 'portable isolation has no layer in the operating system' },
    attack: (arena) =>
      look(arena, (pid) => {
        const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
          .trim()
          .split('\n')
          .map((line) => line.split(' '));
        const strange = mounts
          .map(([, , , , folder = '']) => folder)
          .filter(
            (folder) =>
              !/^\/$|^\/app\/(?:deno|rt|scratch|pyodide|snapshot)$|^\/(?:usr\/)?lib(?:64)?\/.*\.so[.\d]*$/.test(
                folder,
              ),
          );
        assert.deepEqual(strange, []);
        const writable = mounts
          .filter(([, , , , , options = '']) => !options.split(',').includes('ro'))
          .map(([, , , , folder]) => folder);
        assert.deepEqual(writable, ['/app/scratch']);
      }),
  },
];
