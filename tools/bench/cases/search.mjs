import { qualityOf, queries, searches, tools } from '../search-golden.mjs';

const goals = { keywords: 0.95, natural: 0.6, synonym: undefined };
const parts = [...Object.keys(goals), 'empty'];
const ways = Object.keys(searches);

/** How often the right tool is among the first five: with our search, with substrings, and with plain BM25. */
export const search = {
  name: 'search',
  what: `share of ${queries.length} queries with the right one of ${tools.length} tools among the first five; queries without an answer; the worst without one of the servers`,
  rounds: 1,
  warmUps: 0,
  async open() {
    const servers = [...new Set(tools.map(({ server }) => server))];
    const without = await Promise.all(
      servers.map((server) =>
        qualityOf(
          searches.ours,
          tools.filter((tool) => tool.server !== server),
        ),
      ),
    );
    const qualities = await Promise.all(
      ways.map(async (way) => [way, await qualityOf(searches[way], tools)]),
    );
    return Object.fromEntries(
      parts.flatMap((part) => {
        const worst = part === 'empty' ? Math.max : Math.min;
        return [
          ...qualities.map(([way, quality]) => [`${way} ${part}`, () => quality[part]]),
          [`without ${part}`, () => worst(...without.map((quality) => quality[part]))],
        ];
      }),
    );
  },
  rows: parts.map((part) => ({
    label: part,
    ...(part === 'empty' ? { atMost: 1 } : goals[part] && { atLeast: goals[part] }),
    ratio: (shares) => shares[`ours ${part}`],
    shows: [...ways, 'without'].map((way) => `${way} ${part}`),
  })),
};

const sizes = [1000, 10_000];
const msAt = { 1000: 5, 10_000: 25 };

/** The duration of a search, and of the first search, which creates the index. */
export const searchTime = {
  name: 'search-time',
  what: 'a search in 1,000 and in 10,000 tools; making the index of 10,000: milliseconds',
  rounds: 5,
  open() {
    const many = Object.fromEntries(sizes.map((size) => [size, copies(size)]));
    const times = async (size) => {
      const find = searches.ours(many[size]);
      const ms = [];
      for (const { query } of queries) ms.push(await msOf(() => find(query)));
      return ms;
    };
    return {
      ...Object.fromEntries(sizes.map((size) => [`of ${size}`, () => times(size)])),
      index: () => {
        // New objects each time, because the index is stored by the objects of the tools.
        const others = copies(10_000);
        return msOf(() => searches.ours(others)('file'));
      },
    };
  },
  rows: [
    ...sizes.map((size) => ({
      label: `p95 of ${size} tools, ms`,
      atMost: msAt[size],
      ratio: (_medians, samples) => samples[`of ${size}`].p95,
    })),
    { label: 'index of 10000 tools, ms', atMost: 1000, ratio: ({ index }) => index },
  ],
};

/** This many tools, from as many servers as needed. */
function copies(size) {
  return Array.from({ length: size }, (_, index) => {
    const { server, name, ...rest } = tools[index % tools.length];
    const copy = `${server}${Math.floor(index / tools.length)}`;
    return { ...rest, server: copy, name: name.replace(`mcp__${server}__`, `mcp__${copy}__`) };
  });
}

async function msOf(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
