import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { AuditLog } from '@code-executor/audit-log';

import { timed } from '../measure.mjs';

const events = 20_000;
/** Records per turn of the event loop. */
const eventsAtOnce = 100;

/** What the audit log costs callers, who do not wait for the disk, and how fast it writes in the long run. */
export const audit = {
  name: 'audit',
  what: `${events} audit records, ${eventsAtOnce} per turn: the caller's part in ms, and records per second until all are on disk`,
  rounds: 5,
  open(workplace) {
    const log = new AuditLog({ path: join(workplace.folder, 'audit-logs'), required: true });
    workplace.onClose(() => log.close());
    return {
      append: async () => {
        const times = [];
        const written = [];
        for (let index = 0; index < 1000; index++) {
          const started = performance.now();
          written.push(log.append(eventOf(index)));
          times.push(performance.now() - started);
          if (index % eventsAtOnce === 0) await nextTurn();
        }
        await Promise.all(written);
        return times;
      },
      seconds: async () => {
        const ms = await timed(async () => {
          const written = [];
          for (let index = 0; index < events; index++) {
            written.push(log.append(eventOf(index)));
            if (index % eventsAtOnce === 0) await nextTurn();
          }
          await Promise.all(written);
        });
        return ms / 1000;
      },
    };
  },
  rows: [
    { label: 'append, p50 in ms', atMost: 0.1, ratio: ({ append }) => append, shows: ['append'] },
    {
      label: 'records per second',
      atLeast: 10_000,
      ratio: ({ seconds }) => events / seconds,
      shows: ['seconds'],
    },
  ],
};

/** A typical record. */
function eventOf(index) {
  return {
    type: 'tool_call',
    timestamp: new Date().toISOString(),
    status: 'success',
    executionId: 'exec_01234567890123456789',
    correlationId: '4bf92f3577b34da6a3ce929d0e0e4736',
    toolName: `mcp__filesystem__tool-${index % 10}`,
    server: 'filesystem',
    durationMs: index,
    paramsHash: 'a'.repeat(64),
  };
}
