import { timed } from '../measure.mjs';
import { execute, untilSpares } from '../processes.mjs';

const size = 20;
const sandbox = (typescript) => ({ maxConcurrent: size, spares: { typescript, maxMemoryMb: 1024 } });

/** Twenty executions at once, with twenty spares and with none. */
export const burst = {
  name: 'burst',
  what: `${size} executions at once: with ${size} spares / cold`,
  rounds: 10,
  async open(workplace) {
    const { client: withSpares } = await workplace.startServer({ sandbox: sandbox(size) });
    const { client: coldOnly } = await workplace.startServer({ sandbox: sandbox(0) });
    await execute(withSpares, 'return 1');
    return {
      spares: async () => {
        await untilSpares(withSpares, size);
        return timed(() => executeMany(withSpares, size));
      },
      cold: () => timed(() => executeMany(coldOnly, size)),
    };
  },
  rows: [{ label: 'spares / cold', atMost: 0.35, ratio: ({ spares, cold }) => spares / cold }],
};

/** Two callers that run executions without pause, to measure what replacing spares costs. */
export const sustained = {
  name: 'sustained',
  what: 'two callers without rest: executions per second with spares / cold',
  rounds: 8,
  async open(workplace) {
    const { client: withSpares } = await workplace.startServer({ sandbox: { spares: { typescript: 4 } } });
    const { client: coldOnly } = await workplace.startServer({ sandbox: { spares: { typescript: 0 } } });
    const caller = async (client) => {
      for (let run = 0; run < 15; run++) await execute(client, 'return 1');
    };
    const twoCallers = (client) => () => timed(() => Promise.all([caller(client), caller(client)]));
    await execute(withSpares, 'return 1');
    return { spares: twoCallers(withSpares), cold: twoCallers(coldOnly) };
  },
  // A rate is the inverse of a time.
  rows: [{ label: 'rate spares / rate cold', atLeast: 0.85, ratio: ({ spares, cold }) => cold / spares }],
};

export function executeMany(client, count) {
  return Promise.all(Array.from({ length: count }, () => execute(client, 'return 1')));
}
