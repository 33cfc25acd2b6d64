import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Language, ToolHit } from '@code-executor/contracts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';

import { createHome } from '../server-under-test/home.js';
import { StartedServer } from '../server-under-test/started-server.js';
import { realServer } from '../upstream-servers/entries.js';

const tokensOf = (value: unknown) => encode(JSON.stringify(value)).length;

/** What a model has to read, with three real servers. */
describe('In tokens (o200k)', () => {
  let server: StartedServer;
  beforeAll(async () => {
    const home = await createHome();
    const mcpServers = {
      everything: realServer('everything', 'stdio'),
      filesystem: realServer('filesystem', home),
      memory: { ...realServer('memory'), env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') } },
    };
    const file = join(home, '.code-executor.json');
    await writeFile(
      file,
      JSON.stringify({ projectOnly: true, mcpServers, discovery: { timeoutMs: 60_000 } }),
    );
    server = await StartedServer.start({}, {}, home);
    // From now on the tools of all servers are known.
    await server.run('return (await discoverMCPTools()).length', { timeoutMs: 60_000 });
  });
  afterAll(() => server.close());

  const ask = async (language: Language, code: string) => {
    const name = language === 'python' ? 'executePython' : 'executeTypescript';
    const { structured } = await server.call(name, { code });
    return { tokens: tokensOf(structured), result: structured['result'] };
  };

  test('the tool list costs at most 600', async () => {
    const { tools } = await server.client.listTools();
    const seen = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    expect(seen).toHaveLength(3);
    expect(tokensOf(seen)).toBeLessThanOrEqual(600);
  });

  test.each<[Language, string]>([
    ['typescript', 'return 1'],
    ['python', '1'],
  ])('an answer with a small value costs at most 45 (%s)', async (language, code) => {
    expect((await ask(language, code)).tokens).toBeLessThanOrEqual(45);
  });

  const queries = [
    'read a file',
    'write file',
    'create entity',
    'add observations',
    'search files',
    'edit text file',
    'show all tools',
    'get',
    'tell me the size of a directory',
    'open nodes graph',
  ];
  test.each<[Language, string]>([
    ['typescript', `return await Promise.all(QUERIES.map((query) => searchTools(query)));`],
    ['python', `[search_tools(query) for query in QUERIES]`],
  ])('the answer to a search with ten hits costs at most 450 (%s)', async (language, code) => {
    const { result } = await ask(language, code.replace('QUERIES', JSON.stringify(queries)));
    const around = (await ask(language, language === 'python' ? '[]' : 'return []')).tokens;
    const found = result as ToolHit[][];
    expect(found.map((hits) => hits.length)).toEqual(queries.map(() => 10));
    const costs = found.map((hits) => around + tokensOf(hits) - tokensOf([]));
    expect(costs.filter((tokens) => tokens > 450)).toEqual([]);
    // The best hit contains everything that a call needs.
    const best = language === 'python' ? /^tools\.\w+\.\w+\(.*\) -> / : /^tools\.\w+\.\w+\(.*\): Promise</;
    for (const [hit] of found) expect(hit?.signature).toMatch(best);
  });
});
