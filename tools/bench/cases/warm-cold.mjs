import { timed } from '../measure.mjs';
import { execute } from '../processes.mjs';

const modes = ['portable', 'strict'];
const trivial = 'return 1';

/** A trivial program, MCP request to response, through a spare process. */
export const warm = {
  name: 'warm',
  what: 'trivial program through a spare, MCP request to response',
  rounds: 30,
  // Long enough until all spares are ready again.
  pauseMs: 150,
  open: (workplace) => openModes(workplace, { typescript: 4 }, 'waiting'),
  rows: [
    { label: 'portable / bare', atMost: 2, ratio: ({ portable, bare }) => portable / bare },
    { label: 'strict / bare', atMost: 2.4, ratio: ({ strict, bare }) => strict / bare },
    { label: 'portable / B', ratio: ({ portable, B }) => portable / B },
    { label: 'strict / B', ratio: ({ strict, B }) => strict / B },
  ],
};

/** The same in a new process. */
export const cold = {
  name: 'cold',
  what: 'trivial program in a process of its own, spares off',
  rounds: 30,
  open: (workplace) => openModes(workplace, { typescript: 0 }),
  rows: [
    { label: 'portable / bare', atMost: 1.4, ratio: ({ portable, bare }) => portable / bare },
    { label: 'strict / bare', atMost: 2, ratio: ({ strict, bare }) => strict / bare },
    { label: 'portable / B', ratio: ({ portable, B }) => portable / B },
    { label: 'strict / B', ratio: ({ strict, B }) => strict / B },
  ],
};

async function openModes(workplace, spares, ...bareMode) {
  const { client: bare } = await workplace.startBareServer(...bareMode);
  const samples = {
    B: workplace.plainDeno,
    bare: () => timed(() => bare.callTool({ name: 'execute', arguments: { code: trivial } })),
  };
  for (const isolation of modes) {
    const { client } = await workplace.startServer({ sandbox: { isolation, spares } });
    await execute(client, trivial);
    samples[isolation] = () => timed(() => execute(client, trivial));
  }
  return samples;
}
