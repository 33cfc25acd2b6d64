import { qualityOf, queries, searches, tools } from '../search-golden.mjs';

const styles = ['keywords', 'natural', 'synonym'];
const goals = { keywords: 0.95, natural: 0.6 };

/** How often the right tool is among the first five: ours, words as substrings, and BM25 as it comes. */
export const search = {
  name: 'search',
  what: `the right tool among the first five: ${queries.length} queries, ${tools.length} tools; the last: without each server in turn`,
  rounds: 1,
  warmUps: 0,
  open() {
    const samples = Object.entries(searches).flatMap(([name, way]) => {
      const quality = qualityOf(way, tools);
      return [...styles, 'empty'].map((part) => [`${name} ${part}`, () => quality[part]]);
    });
    const without = [...new Set(tools.map(({ server }) => server))].map((server) =>
      qualityOf(
        searches.ours,
        tools.filter((tool) => tool.server !== server),
      ),
    );
    samples.push(
      ...styles.map((style) => [`least ${style}`, () => Math.min(...without.map((each) => each[style]))]),
      ['most empty', () => Math.max(...without.map(({ empty }) => empty))],
    );
    return Object.fromEntries(samples);
  },
  rows: [
    ...styles.map((style) => ({
      label: style,
      ...(goals[style] && { atLeast: goals[style] }),
      ratio: (shares) => shares[`ours ${style}`],
    })),
    { label: 'no answer', atMost: 1, ratio: (shares) => shares['ours empty'] },
    ...['substring', 'bm25'].flatMap((way) =>
      styles.map((style) => ({ label: `${way}: ${style}`, ratio: (shares) => shares[`${way} ${style}`] })),
    ),
    ...styles.map((style) => ({
      label: `least without a server: ${style}`,
      ratio: (shares) => shares[`least ${style}`],
    })),
    { label: 'most without an answer', ratio: (shares) => shares['most empty'] },
  ],
};

const sizes = [1000, 10_000];
const msAt = { 1000: 5, 10_000: 25 };

/** How long a search takes, and the first one, which makes the index. */
export const searchTime = {
  name: 'search-time',
  what: 'a search in 1,000 and in 10,000 tools; making the index of 10,000: milliseconds',
  rounds: 5,
  open() {
    const many = Object.fromEntries(sizes.map((size) => [size, copies(size)]));
    const times = (size) => {
      const find = searches.ours(many[size]);
      return queries.map(({ query }) => msOf(() => find(query)));
    };
    return {
      ...Object.fromEntries(sizes.map((size) => [`of ${size}`, () => times(size)])),
      index: () => msOf(() => searches.ours([...many[10_000]])('file')),
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

/** As many tools as asked for, from as many servers as it takes. */
function copies(size) {
  return Array.from({ length: size }, (_, index) => {
    const { server, name, ...rest } = tools[index % tools.length];
    const copy = `${server}${Math.floor(index / tools.length)}`;
    return { ...rest, server: copy, name: name.replace(`mcp__${server}__`, `mcp__${copy}__`) };
  });
}

function msOf(work) {
  const started = performance.now();
  work();
  return performance.now() - started;
}
