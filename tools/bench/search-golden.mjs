/** Measures how often a search finds the right tool, with labelled queries over real tool lists. */
import { readdirSync, readFileSync } from 'node:fs';

import { searchTools } from '@code-executor/tool-search';
import MiniSearch from 'minisearch';

const fixtures = new URL('../../libs/tool-search/fixtures/', import.meta.url);
const readJson = (path) => JSON.parse(readFileSync(new URL(path, fixtures), 'utf8'));

/** The tools of the lists, in the form of the proxy. */
export const tools = readdirSync(new URL('tools-lists/', fixtures)).flatMap((file) => {
  const server = file.replace(/\.json$/, '');
  return readJson(`tools-lists/${file}`).tools.map(({ name, inputSchema, ...rest }) => {
    return { ...rest, name: `mcp__${server}__${name}`, server, parameters: inputSchema };
  });
});

/** The queries, each with its style (`keyword`, `natural`, `synonym`) and its graded answers: 3 is right, less is close. */
export const queries = readJson('search-golden.json');

/** Search methods: each takes tools and returns a function from a query to names, or to a promise of names. */
export const searches = {
  ours: (tools) => async (query) => (await searchTools(tools, query)).map(({ tool }) => tool.name),
  /** Tools with any of the words in their name or description, in listing order. */
  substring: (tools) => (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const has = ({ name, description = '' }, word) => `${name} ${description}`.toLowerCase().includes(word);
    return tools.filter((tool) => words.some((word) => has(tool, word))).map(({ name }) => name);
  },
  /** Plain BM25 over name and description. */
  bm25: (tools) => {
    const index = new MiniSearch({ fields: ['name', 'description'], idField: 'name' });
    index.addAll(tools);
    return (query) => index.search(query).map(({ id }) => id);
  },
};

/**
 * For each style, the share of queries with a right tool among the first five results, and the number of queries
 * without results. Leaves out queries whose right tools are not among the given ones.
 */
export async function qualityOf(search, tools) {
  const names = new Set(tools.map(({ name }) => name));
  const find = search(tools);
  const outcomes = {};
  let empty = 0;
  for (const { query, style, relevant } of queries) {
    const right = Object.keys(relevant).filter((name) => relevant[name] === 3 && names.has(name));
    if (right.length === 0) continue;
    const found = await find(query);
    if (found.length === 0) empty++;
    (outcomes[style] ??= []).push(right.some((name) => found.slice(0, 5).includes(name)));
  }
  const share = (hits) => hits.filter(Boolean).length / hits.length;
  return {
    ...Object.fromEntries(Object.entries(outcomes).map(([style, hits]) => [style, share(hits)])),
    empty,
  };
}
