import { silentLogger } from '@code-executor/contracts';
import { recordingLogger } from '@code-executor/contracts/testing';
import { afterEach, describe, expect, test } from '@jest/globals';

import { ClientPool } from '../client-pool.js';
import { dataOf, patient, stdioServer } from '../fixture-servers.test.support.js';
import { listAllTools } from './tool-listing.js';

let pool: ClientPool | undefined;
afterEach(() => pool?.close());

/** Lists a server of `raw-server.mjs` beside a healthy one, which must not be affected. */
const listingOf = async (kind: string) => {
  const logger = recordingLogger();
  pool = new ClientPool({
    ...patient,
    logger,
    servers: { raw: stdioServer('raw-server.mjs', kind), kit: stdioServer('kit-server.mjs', 'stdio') },
  });
  const { tools, failedServers } = await pool.listTools();
  expect(tools.filter(({ server }) => server === 'kit')).toHaveLength(2);
  const logged = logger.entries.filter(({ level }) => level === 'warn').map(({ fields }) => fields);
  return { pool, tools: tools.filter(({ server }) => server === 'raw'), failedServers, logged };
};

describe('listAllTools', () => {
  test('keeps what tools say about themselves, and leaves out only entries that are not tools', async () => {
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
      { name: 'mcp__raw__has blank', server: 'raw', parameters },
      { name: 'mcp__raw__odd', server: 'raw', parameters },
    ]);
    // The result does not match the tool's outputSchema, which the pool does not check.
    expect(await dataOf(pool, 'raw__bad')).toMatchObject({ name: 'bad' });
  });

  test('takes every name without control characters that the policy takes, and logs those left out', async () => {
    const { tools, pool, logged } = await listingOf('names');
    const longest = `mcp__raw__${'n'.repeat(246)}`;
    expect(longest).toHaveLength(256);
    expect(tools.map(({ name }) => name)).toEqual([
      'mcp__raw__Search the web, please',
      longest,
      'mcp__raw__näme ✓',
    ]);
    expect(await dataOf(pool, 'raw__Search the web, please')).toMatchObject({
      name: 'Search the web, please',
    });
    const names = [`${'n'.repeat(100)}…`, 'line�break�[31m', '(no name)', 'no_schema', '(no name)', 'näme ✓'];
    expect(logged).toEqual([{ server: 'raw', skipped: 6, names }]);
  });

  test('logs the names of only some if many are left out', async () => {
    const { logged } = await listingOf('all_bad');
    const names = Array.from({ length: 20 }, (_, i) => `bad_${i}`);
    expect(logged).toEqual([{ server: 'raw', skipped: 50, names }]);
  });

  test('asks for 64 pages and no more', async () => {
    let pages = 0;
    const endless = () => Promise.resolve({ tools: [], nextCursor: String(++pages) });
    await expect(listAllTools('raw', endless, silentLogger)).rejects.toThrow('more than 64 pages');
    expect(pages).toBe(64);
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

  test('accepts a server without tools', async () => {
    expect(await listingOf('no_tools')).toMatchObject({ tools: [], failedServers: [], logged: [] });
  });

  test.each([
    [
      'twenty_megabytes',
      'its tool list is larger than 16 MB, or than 32 MB with 64 bytes for each array, object and member in it',
    ],
    [
      'dense',
      'it answered with more than is taken at once, 32 MB with 64 bytes for each array, object and member in it',
    ],
    [
      'dense_pages',
      'its tool list is larger than 16 MB, or than 32 MB with 64 bytes for each array, object and member in it',
    ],
    ['endless_pages', 'its tool list has more than 64 pages'],
    ['too_many', 'it lists more than 10000 tools'],
    ['no_array', 'its tool list holds no tools array'],
    ['null_list', 'it failed to list its tools, and wrote a line to stdout that is no MCP message'],
    ['refusing', 'it failed to list its tools (error -32603)'],
  ])('fails a server with the list %s, and no other', async (kind, reason) => {
    const { tools, failedServers } = await listingOf(kind);
    expect(tools).toEqual([]);
    expect(failedServers).toEqual([expect.objectContaining({ server: 'raw', reason })]);
  });
});
