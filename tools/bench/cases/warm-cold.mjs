import { timed } from '../measure.mjs';
import { execute } from '../processes.mjs';

const modes = ['portable', 'strict'];
const trivial = 'return 1';

/** A trivial program, MCP request to response, through a spare process. */
export const warm = {
  name: 'warm',
  what: 'trivial program through a spare, MCP request to response',
  rounds: 30,
  // Long enough for the pool to be full again.
  pauseMs: 150,
  open: (workplace) => openModes(workplace, { typescript: 4 }),
  rows: [
    { label: 'portable / B', atMost: 0.25, ratio: ({ portable, B }) => portable / B },
    { label: 'strict / B', atMost: 0.3, ratio: ({ strict, B }) => strict / B },
  ],
};

/** The same in a process that is started for it. */
export const cold = {
  name: 'cold',
  what: 'trivial program in a process of its own, spares off',
  rounds: 30,
  open: (workplace) => openModes(workplace, { typescript: 0 }),
  rows: [
    { label: 'portable / B', atMost: 1.4, ratio: ({ portable, B }) => portable / B },
    { label: 'strict / B', atMost: 2, ratio: ({ strict, B }) => strict / B },
  ],
};

async function openModes(workplace, spares) {
  const samples = { B: workplace.plainDeno };
  for (const isolation of modes) {
    const { client } = await workplace.startServer({ sandbox: { isolation, spares } });
    await execute(client, trivial);
    samples[isolation] = () => timed(() => execute(client, trivial));
  }
  return samples;
}
