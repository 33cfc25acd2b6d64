import { readdirSync, readFileSync } from 'node:fs';

import type { JsonObject, ToolName, ToolSchema } from '@code-executor/contracts';
import { describe, expect, test } from '@jest/globals';

import { searchTools } from './index.js';

const fixtures = new URL('../fixtures/', import.meta.url);
const readJson = (path: string): unknown => JSON.parse(readFileSync(new URL(path, fixtures), 'utf8'));

function tool(
  server: string,
  name: string,
  description?: string,
  properties: Record<string, JsonObject> = {},
  title?: string,
): ToolSchema {
  return {
    name: `mcp__${server}__${name}`,
    server,
    parameters: { type: 'object', properties },
    ...(description !== undefined && { description }),
    ...(title !== undefined && { title }),
  };
}

const office = [
  tool('weather', 'getForecast', 'What the sky will do.', { city: { type: 'string' } }),
  tool('gmail', 'send_email', 'Sends a letter.', { to: { type: 'string', description: 'The addressee' } }),
  tool('gmail', 'delete-email', 'Moves a letter to the bin.'),
  tool('files', 'writeURLs'),
  tool('GitHub', 'x1', 'Merge a pull request. Needs approval.'),
  tool('shop', 'café', undefined, {}, 'Orders'),
];

const namesOf = async (query: string, tools = office, limit = 1) =>
  (await searchTools(tools, query, { limit })).map((match) => match.tool.name.replace('mcp__', ''));

describe('searchTools', () => {
  test.each([
    ['a word of a name in camel case', 'forecast', 'weather__getForecast'],
    ['in snake case', 'send', 'gmail__send_email'],
    ['in kebab case', 'delete', 'gmail__delete-email'],
    ['a plural of capitals', 'url', 'files__writeURLs'],
    ['the server, though in camel case', 'github', 'GitHub__x1'],
    ['a title', 'ORDER', 'shop__café'],
    ['a word without its accent', 'cafe', 'shop__café'],
    ['a description', 'sky', 'weather__getForecast'],
    ['a parameter', 'city', 'weather__getForecast'],
    ['the description of a parameter', 'addressee', 'gmail__send_email'],
    ['another form of the word', 'sending emails', 'gmail__send_email'],
    ['the beginning of a word', 'forec', 'weather__getForecast'],
    ['a misspelt word', 'forcast', 'weather__getForecast'],
    ['the middle of a word', 'mai', 'gmail__delete-email'],
    ['another word for the same', 'erase mail', 'gmail__delete-email'],
    ['a phrase for the same', 'get rid of mail', 'gmail__delete-email'],
    ['two words for one', 'git hub', 'GitHub__x1'],
    ['a question', 'how do I combine a PR once it has approval?', 'GitHub__x1'],
    ['words that mean nothing beside it', 'please sky zzzzzzzzzz', 'weather__getForecast'],
  ])('finds by %s', async (_what, query, name) => {
    expect(await namesOf(query)).toEqual([name]);
  });

  test.each(['', '  ', '?!', 'xylophone', '__proto__', 'constructor', 'toString'])(
    'finds nothing by %j',
    async (query) => {
      expect(await searchTools(office.slice(0, 3), query)).toEqual([]);
    },
  );

  test('puts the name before title, description and parameters', async () => {
    const tools = [
      tool('a', 'e', 'What it is. Then alarms.'),
      tool('a', 'd', undefined, { x: { type: 'string', description: 'alarm' } }),
      tool('a', 'b', undefined, {}, 'Alarm'),
      tool('a', 'c', 'Alarms.'),
      tool('a', 'alarm'),
    ];
    expect(await namesOf('alarm', tools, 5)).toEqual(['a__alarm', 'a__b', 'a__c', 'a__e', 'a__d']);
  });

  test('puts tools with more of the words first, and orders equal ones by name', async () => {
    const tools = ['z', 'b', 'a'].map((name) => tool('s', name, 'Red.'));
    const both = tool('s', 'zz', 'Red house.');
    const matches = await searchTools([...tools, both], 'red house');
    expect(matches.map((match) => match.tool)).toEqual([both, tools[2], tools[1], tools[0]]);
    expect(matches[0]?.score).toBeGreaterThan(matches[1]?.score ?? NaN);
    expect(matches[1]?.score).toBe(matches[3]?.score);
  });

  test('returns the requested part of the matches', async () => {
    const all = await namesOf('email letter', office, 9);
    expect(all).toHaveLength(2);
    const rest = await searchTools(office, 'email letter', { offset: 1 });
    expect(rest.map((match) => match.tool.name)).toEqual([`mcp__${all[1]}`]);
    expect(await searchTools(office, 'email', { offset: -1, limit: 0 })).toEqual([]);
  });

  test('makes one index for the same tools in any array, and another one for other tools', async () => {
    let reads = 0;
    const counted = office.map((each) => ({
      ...each,
      get title(): string {
        reads++;
        return 'Gadget';
      },
    }));
    const narrowed = () => counted.slice(0, 3);
    const readsOf = async (lists: (readonly ToolSchema[])[]) => {
      const wereRead: boolean[] = [];
      for (const tools of lists) {
        reads = 0;
        expect(await searchTools(tools, 'gadget')).toHaveLength(tools.length);
        wereRead.push(reads > 0);
      }
      return wereRead;
    };
    expect(await readsOf([narrowed(), narrowed(), counted.slice(1)])).toEqual([true, false, true]);
    // A list that only begins with the same tool is another one, and gets an index of its own once.
    expect(await readsOf([counted, narrowed(), narrowed(), counted])).toEqual([true, true, false, false]);
    // Also if all of them are searched at once.
    const fresh = counted.slice(2);
    reads = 0;
    const [first, second] = await Promise.all([searchTools(fresh, 'gadget'), searchTools(fresh, 'gadget')]);
    expect([first.length, second.length, reads]).toEqual([fresh.length, fresh.length, fresh.length]);
  });
});

describe('a query that names something', () => {
  const servers = [
    tool('github', 'create_issue', 'Opens an issue.'),
    tool('github', 'merge', 'Joins two branches.'),
    tool('mirror', 'github_sync', 'Copies GitHub repositories from GitHub to GitHub.'),
    tool('git-lab', 'create_issue', 'Opens an issue.'),
    tool('everything', 'echo', 'Says it back.'),
    tool('odd', 'Weird.Name-x_Y', 'What it does is unclear.'),
    tool('docker', 'up', 'Starts containers.'),
    tool('docker', 'backup', 'Stores volumes elsewhere.'),
  ];

  test.each([
    ['a server', 'github', ['github__create_issue', 'github__merge', 'mirror__github_sync']],
    ['a server, with its own signs left out', 'GitLab', ['git-lab__create_issue', 'mirror__github_sync']],
    ['a server, misspelt', 'gihtub', ['mirror__github_sync', 'github__create_issue', 'github__merge']],
    ['a tool with two letters swapped', 'ehco', ['everything__echo']],
    ['a short tool with a letter too many', 'echoo', ['everything__echo']],
    ['the beginning of a name without its signs', 'weirdname', ['odd__Weird.Name-x_Y']],
    ['a whole name without its signs', 'WEIRDNAMEXY', ['odd__Weird.Name-x_Y']],
    ['a tool whose name is a word that is left out elsewhere', 'up', ['docker__up']],
    ['two letters within a word', 'cku', ['docker__backup']],
  ])('finds %s', async (_what, query, names) => {
    expect(await namesOf(query, servers, 9)).toEqual(names);
  });

  test('finds two letters inside words if nothing begins with them', async () => {
    expect(await namesOf('up', servers.slice(-1), 9)).toEqual(['docker__backup']);
    expect(await namesOf('ck', servers, 9)).toEqual(['docker__backup', 'everything__echo', 'docker__up']);
  });
});

describe('hostile input', () => {
  const deep = (depth: number): JsonObject => {
    let schema: JsonObject = { description: 'bottom' };
    for (let level = 0; level < depth; level++) schema = { properties: { a: schema } };
    return schema;
  };

  test('a schema 10,000 deep, wide or of wrong types is searched in part', async () => {
    const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`p${n}`, {}]));
    const tools = [
      { ...tool('a', 'deep'), parameters: deep(10_000) },
      { ...tool('a', 'wide'), parameters: { properties } },
      { ...tool('a', 'odd'), parameters: { properties: { odd: 3, items: [null] } } },
      { ...tool('a', 'none'), parameters: null, description: 7, title: {} },
    ] as unknown as ToolSchema[];
    expect(await namesOf('deep', tools)).toEqual(['a__deep']);
    expect(await namesOf('p99', tools)).toEqual(['a__wide']);
    expect(await namesOf('none', tools)).toEqual(['a__none']);
    expect(await namesOf('bottom', tools, 9)).not.toContain('a__deep');
  });

  test('a server with a dictionary hides no other server', async () => {
    const word = (n: number) => `${n}x${(n * 7919).toString(36)}q`;
    const dictionary = Array.from({ length: 1_000 }, (_, n) =>
      tool('a', `t${n}`, Array.from({ length: 150 }, (_each, m) => word(150 * n + m)).join(' ')),
    );
    const tools = [...dictionary, ...office];
    expect(await namesOf(word(0), tools)).toEqual(['a__t0']);
    // There are more words than are kept.
    expect(await namesOf(word(149_999), tools)).not.toEqual(['a__t999']);
    expect(await namesOf('forcast', tools)).toEqual(['weather__getForecast']);
  });

  test('lets other work have its turn while a long list is indexed', async () => {
    const long = Array.from({ length: 3_000 }, (_, n) => tool('a', `t${n}`, `Thing ${n}. `.repeat(100)));
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    expect(await namesOf('t7 thing', long)).toEqual(['a__t7']);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
  });

  test('reads only the beginning of a long description and of a long query', async () => {
    const tools = [tool('a', 'b', `needle ${'hay '.repeat(300_000)} thread`)];
    expect(await searchTools(tools, 'needle')).toHaveLength(1);
    expect(await searchTools(tools, 'thread')).toEqual([]);
    expect(await searchTools(tools, `needle ${'x'.repeat(1_000_000)}`)).toHaveLength(1);
    expect(await searchTools(tools, `${' '.repeat(1000)}needle`)).toEqual([]);
    expect(await searchTools(tools, `${'zzzzzz '.repeat(32)} needle`)).toEqual([]);
  });

  test('treats the names of built-in properties as any other word', async () => {
    const tools = ['__proto__', 'constructor', 'hasOwnProperty'].map((name) => tool('a', name));
    expect(await namesOf('proto', tools)).toEqual(['a____proto__']);
    expect(await namesOf('constructor', tools)).toEqual(['a__constructor']);
  });
});

describe('on labelled queries over real tool lists', () => {
  interface Query {
    query: string;
    style: 'keywords' | 'natural' | 'synonym';
    /** 3 is a right tool, less a related one. */
    relevant: Record<string, number>;
  }
  interface UpstreamTool {
    name: string;
    inputSchema: JsonObject;
  }
  const tools = readdirSync(new URL('tools-lists/', fixtures)).flatMap((file) => {
    const server = file.replace(/\.json$/, '');
    const { tools: listed } = readJson(`tools-lists/${file}`) as { tools: UpstreamTool[] };
    return listed.map(({ name, inputSchema, ...rest }): ToolSchema => {
      return { ...rest, name: `mcp__${server}__${name}`, server, parameters: inputSchema };
    });
  });
  const queries = readJson('search-golden.json') as Query[];

  const shareFound = async (of: readonly Query[], style: Query['style']): Promise<number> => {
    const ofStyle = of.filter((each) => each.style === style);
    let hits = 0;
    for (const { query, relevant } of ofStyle) {
      const matches = await searchTools(tools, query, { limit: 5 });
      if (matches.some((match) => relevant[match.tool.name] === 3)) hits++;
    }
    return hits / ofStyle.length;
  };

  test.each([
    ['keywords', 0.95],
    ['natural', 0.6],
    ['synonym', 0.4],
  ] as const)('finds the right tool among the first five: %s', async (style, least) => {
    expect(await shareFound(queries, style)).toBeGreaterThanOrEqual(least);
  });

  test.each([
    ['keywords', 1],
    ['natural', 0.8],
    ['synonym', 0.75],
  ] as const)('finds what its weights were chosen by: %s', async (style, least) => {
    const chosenBy = readJson('search-tuning.json') as Query[];
    expect(chosenBy.some(({ query }) => queries.some((each) => each.query === query))).toBe(false);
    expect(await shareFound(chosenBy, style)).toBeGreaterThanOrEqual(least);
  });

  test.each([undefined, ...new Set(tools.map(({ server }) => server))])(
    'answers all but one query at least, without server %s',
    async (server) => {
      const others = tools.filter((each) => each.server !== server);
      const found = await Promise.all(queries.map(({ query }) => searchTools(others, query)));
      expect(found.filter((matches) => matches.length === 0).length).toBeLessThanOrEqual(1);
    },
  );

  test('finds each tool by its own name', async () => {
    const missed: ToolName[] = [];
    for (const { name, server } of tools) {
      const own = name.slice(`mcp__${server}__`.length);
      const matches = await searchTools(tools, `${server} ${own}`, { limit: 5 });
      if (!matches.some((match) => match.tool.name === name)) missed.push(name);
    }
    expect(missed).toEqual([]);
  });
});
