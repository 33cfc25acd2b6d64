/** How often a way of searching finds the right tool, on labelled queries over real tool lists. */
import { readdirSync, readFileSync } from 'node:fs';

import { searchTools } from '@code-executor/tool-search';
import MiniSearch from 'minisearch';

const fixtures = new URL('../../libs/tool-search/fixtures/', import.meta.url);
const readJson = (path) => JSON.parse(readFileSync(new URL(path, fixtures), 'utf8'));

/** The tools of the lists, as the proxy has them. */
export const tools = readdirSync(new URL('tools-lists/', fixtures)).flatMap((file) => {
  const server = file.replace(/\.json$/, '');
  return readJson(`tools-lists/${file}`).tools.map(({ name, inputSchema, ...rest }) => {
    return { ...rest, name: `mcp__${server}__${name}`, server, parameters: inputSchema };
  });
});

/** Each with its style (`keyword`, `natural`, `synonym`) and what answers it: 3 is right, less is near. */
export const queries = readJson('search-golden.json');

/** Ways of searching: each takes tools, and answers a function from a query to names, or to a promise of them. */
export const searches = {
  ours: (tools) => async (query) => (await searchTools(tools, query)).map(({ tool }) => tool.name),
  /** Any word in name or description, in listing order. */
  substring: (tools) => (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const has = ({ name, description = '' }, word) => `${name} ${description}`.toLowerCase().includes(word);
    return tools.filter((tool) => words.some((word) => has(tool, word))).map(({ name }) => name);
  },
  /** BM25 as it comes, over name and description. */
  bm25: (tools) => {
    const index = new MiniSearch({ fields: ['name', 'description'], idField: 'name' });
    index.addAll(tools);
    return (query) => index.search(query).map(({ id }) => id);
  },
};

/**
 * Per style the share of queries for which one of the right tools is among the first five, and how many
 * queries found nothing. Queries without a right tool among the given ones are left out.
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
