import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

import type { ProgramAttack } from '../arena/program-attack.js';
import { untilSpare, withPythonServer } from './python-server.js';

const count = 30;
const programs = [
  '1',
  'raise RuntimeError("x")',
  'import js\njs.Deno.exit(1)',
  'import os\nos.abort()',
  'print("x" * 10**5)',
  'call_mcp_tool("mcp__fixture__echo", {"a": 1})',
];

const rssMib = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
const descriptorsOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

/** Attacks with many executions, one after the other. */
export const manyExecutions: readonly ProgramAttack[] = [
  {
    id: 'PY-30',
    what: 'exhaust the server: 30 executions in a row, with a spare; processes, descriptors, folders, memory',
    stoppedBy: 'server',
    async attack(arena) {
      await withPythonServer(arena, 1, async (server) => {
        const many = async (from: number, to: number) => {
          for (let i = from; i < to; i++)
            await server.runPython(programs[i % programs.length] ?? '', { allowedTools: ['*'] });
        };
        await many(0, programs.length);
        await untilSpare(server);
        const before = { descriptors: descriptorsOf(server.pid), memory: rssMib(server.pid) };
        await many(programs.length, count);
        await untilSpare(server);
        const after = { descriptors: descriptorsOf(server.pid), memory: rssMib(server.pid) };
        assert.ok(
          after.descriptors <= before.descriptors + 5,
          `${before.descriptors} descriptors became ${after.descriptors}`,
        );
        assert.ok(after.memory <= before.memory + 96, `${before.memory} MiB became ${after.memory}`);
      });
    },
  },
];
