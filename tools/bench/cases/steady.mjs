import { execute, residentMb, sparesOf, untilSpares } from '../processes.mjs';

const callers = 2;
const runsPerCaller = 8;
const programs = { typescript: 'return 1', python: '1' };

/** Two callers without pause, in each language: the throughput of a server, and its growth. */
export const steady = {
  name: 'steady',
  what: 'two callers without rest, in each language: executions per second, memory',
  rounds: 8,
  async open(workplace) {
    const { client, pid } = await workplace.startServer({});
    const latencies = async (language) => {
      const found = [];
      const caller = async () => {
        for (let run = 0; run < runsPerCaller; run++) {
          const started = performance.now();
          await execute(client, programs[language], { language });
          found.push(performance.now() - started);
        }
      };
      await Promise.all(Array.from({ length: callers }, caller));
      return found;
    };
    await latencies('python');
    // Warms up until the heap of the server is stable.
    for (let round = 0; round < 25; round++) await latencies('typescript');
    const before = residentMb(pid);
    // The resident memory of one spare.
    const spareMb = async (language, count) => {
      await untilSpares(client, count, language);
      const { memoryMb, ready } = await sparesOf(client, language);
      return memoryMb / ready;
    };
    return {
      typescript: () => latencies('typescript'),
      python: () => latencies('python'),
      growth: () => residentMb(pid) / before,
      typescriptMb: () => spareMb('typescript', 4),
      pythonMb: () => spareMb('python', 1),
    };
  },
  rows: [
    { label: 'TypeScript, per second', ratio: (_, { typescript }) => perSecond(typescript) },
    { label: 'Python, per second', ratio: (_, { python }) => perSecond(python) },
    { label: 'resident memory of the server, end / start', atMost: 1.25, ratio: ({ growth }) => growth },
    { label: 'a TypeScript spare in MB', ratio: ({ typescriptMb }) => typescriptMb },
    { label: 'a Python spare in MB', ratio: ({ pythonMb }) => pythonMb },
  ],
};

/** Runs callers that start the next execution as soon as they have an answer. */
function perSecond({ mean }) {
  return (callers * 1000) / mean;
}
