import { afterEach, describe, expect, test } from '@jest/globals';

import { ClientPool } from './client-pool.js';
import { dataOf, stdioServer } from './fixture-servers.test.support.js';

let pool: ClientPool | undefined;
afterEach(() => pool?.close());

/** Lists a server of `raw-server.mjs` beside a sound one, which must never be hurt. */
const listingOf = async (kind: string) => {
  pool = new ClientPool({
    servers: { raw: stdioServer('raw-server.mjs', kind), kit: stdioServer('kit-server.mjs', 'stdio') },
  });
  const { tools, failedServers } = await pool.listTools();
  expect(tools.filter(({ server }) => server === 'kit')).toHaveLength(2);
  return { pool, tools: tools.filter(({ server }) => server === 'raw'), failedServers };
};

describe('listAllTools', () => {
  test('keeps what tools say about themselves, and leaves out only what is no tool', async () => {
    const { tools, failedServers, pool } = await listingOf('uncompilable');
    expect(failedServers).toEqual([]);
    const parameters = { type: 'object' };
    expect(tools).toEqual([
      { name: 'mcp__raw____proto__', server: 'raw', parameters },
      { name: 'mcp__raw__a/b.c-d', server: 'raw', parameters },
      {
        name: 'mcp__raw__bad',
        server: 'raw',
        parameters,
        outputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/absent' } } },
      },
      {
        name: 'mcp__raw__good',
        server: 'raw',
        title: 'Good tool',
        description: 'Works',
        parameters,
        outputSchema: { type: 'object', properties: { a: { type: 'number' } } },
        annotations: { readOnlyHint: true, title: 'Nice' },
      },
      { name: 'mcp__raw__odd', server: 'raw', parameters },
    ]);
    // The result does not match the tool's outputSchema, which is not ours to check.
    expect(await dataOf(pool, 'raw__bad')).toMatchObject({ name: 'bad' });
  });

  test('reads all pages', async () => {
    const { tools } = await listingOf('pages');
    expect(tools.map(({ name }) => name)).toEqual(
      Array.from({ length: 25 }, (_, i) => `mcp__raw__tool_${String(i).padStart(5, '0')}`),
    );
  });

  test('lists 10 MB', async () => {
    expect((await listingOf('ten_megabytes')).tools).toHaveLength(100);
  });

  test('takes a server without tools for what it is', async () => {
    expect(await listingOf('no_tools')).toMatchObject({ tools: [], failedServers: [] });
  });

  test.each([
    ['twenty_megabytes', 'its tool list is larger than 16 MB'],
    ['endless_pages', 'its tool list has more than 64 pages'],
    ['too_many', 'it lists more than 10000 tools'],
    ['no_array', 'its tool list holds no tools array'],
    ['refusing', 'it failed to list its tools: the database is locked'],
  ])('fails a server with the list %s, and no other', async (kind, reason) => {
    const { tools, failedServers } = await listingOf(kind);
    expect(tools).toEqual([]);
    expect(failedServers).toEqual([expect.objectContaining({ server: 'raw', reason })]);
  });
});
