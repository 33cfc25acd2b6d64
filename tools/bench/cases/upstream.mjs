import { join } from 'node:path';

import { AuditLog } from '@code-executor/audit-log';
import { ClientPool } from '@code-executor/client-pool';
import { createToolProxy } from '@code-executor/proxy';

import { timed } from '../measure.mjs';
import { root } from '../processes.mjs';

/** Fewer than the call budget of an execution. */
const callsPerRound = 500;
const script = join(root, 'tools', 'chaos', 'storm-server.mjs');
const upstream = (...behaviour) => ({ command: process.execPath, args: [script, ...behaviour] });
const args = { text: 'x' };

/** A call with policy, audit, queue and circuit to a tool that does nothing, compared with the SDK's client alone. */
export const overhead = {
  name: 'overhead',
  what: 'a call to a tool that does nothing, with policy, audit, queue and circuit − with the bare SDK client, in ms',
  rounds: 10,
  async open(workplace) {
    const { newProxy } = openPool(workplace, { server: upstream() });
    const { client } = await workplace.connect(process.execPath, [script]);
    return {
      guarded: async () => {
        const proxy = newProxy();
        return timesOf(() => proxy.callTool('mcp__server__echo', args));
      },
      bare: () => timesOf(() => client.callTool({ name: 'echo', arguments: args })),
    };
  },
  rows: [{ label: 'p50 more, in ms', atMost: 0.3, ratio: ({ guarded, bare }) => guarded - bare }],
};

/** A call to a server that has failed too often. */
export const openCircuit = {
  name: 'open-circuit',
  what: 'the refusal of a call to a server whose circuit is open, p95 in ms',
  rounds: 5,
  async open(workplace) {
    const { pool, newProxy } = openPool(workplace, { server: upstream('killed') }, { failureThreshold: 1 });
    const refusalOf = (proxy) =>
      proxy.callTool('mcp__server__echo', args).then(
        () => undefined,
        (error) => error.code,
      );
    const dying = newProxy();
    while ((await refusalOf(dying)) === undefined);
    const [{ circuit }] = pool.stats.servers;
    if (circuit !== 'open') throw new Error(`The circuit is ${circuit}.`);
    return {
      refusal: () => {
        const proxy = newProxy();
        return timesOf(async () => {
          if ((await refusalOf(proxy)) !== 'unavailable') throw new Error('It was not refused.');
        });
      },
    };
  },
  rows: [{ label: 'p95 in ms', atMost: 1, ratio: (_, { refusal }) => refusal.p95 }],
};

/** The parts of the server, without a sandbox. */
function openPool(workplace, servers, options = {}) {
  const log = new AuditLog({ path: join(workplace.folder, 'audit-logs') });
  const audit = (event) => log.append(event);
  const pool = new ClientPool({ servers, baseEnv: workplace.env, audit, ...options });
  workplace.onClose(() => Promise.all([pool.close(), log.close()]));
  return {
    pool,
    /** The tools of one execution. */
    newProxy: () => createToolProxy({ tools: pool, allowedTools: ['*'], policy: { ceiling: ['*'] }, audit }),
  };
}

async function timesOf(call) {
  const times = [];
  for (let index = 0; index < callsPerRound; index++) times.push(await timed(call));
  return times;
}
