import type { ListOptions, ToolHit, ToolSource } from '@code-executor/contracts';
import { describe, expect, test } from '@jest/globals';

import { ToolPaths } from './tool-paths.js';

describe('ToolPaths', () => {
  const { signal } = new AbortController();
  const hit: ToolHit = { name: 'mcp__my-server__create-issue', server: 'my-server' };
  const failedServers = [{ server: 'broken', reason: 'It was not found', fix: 'Install it.' }];
  /** Names every server that failed, even if only one server is asked for. */
  const source: ToolSource<ToolHit> = {
    listTools: ({ server } = {}) =>
      Promise.resolve({ tools: server === undefined || server === hit.server ? [hit] : [], failedServers }),
    callTool: () => Promise.reject(new Error('not called')),
  };

  test('finds tools of other servers if one server failed', async () => {
    const paths = new ToolPaths(source);
    expect(await paths.find({ server: 'myServer', tool: 'createIssue' }, signal)).toBe(hit);
  });

  test('finds no tool of a server that failed', async () => {
    const paths = new ToolPaths(source);
    expect(await paths.find({ server: 'broken', tool: 'createIssue' }, signal)).toBeUndefined();
  });

  test('calls that are made at once share a listing, and stay in their order', async () => {
    let listings = 0;
    const slow: ToolSource<ToolHit> = {
      ...source,
      // Each takes less time than the one before.
      listTools: (options) =>
        new Promise((resolve) => setTimeout(resolve, 60 - 20 * listings++)).then(() =>
          source.listTools(options),
        ),
    };
    const paths = new ToolPaths(slow);
    const order: number[] = [];
    const find = (call: number) =>
      paths.find({ server: 'myServer', tool: 'createIssue' }, signal).then(() => order.push(call));
    await Promise.all([0, 1, 2].map(find));
    expect({ listings, order }).toEqual({ listings: 2, order: [0, 1, 2] });
  });

  test('lists a server again if that failed before', async () => {
    let isBroken = true;
    const paths = new ToolPaths({
      ...source,
      listTools: (options) => (isBroken ? Promise.reject(new Error('broken')) : source.listTools(options)),
    });
    const path = { server: 'my-server', tool: 'create-issue' };
    await expect(paths.find(path, signal)).rejects.toThrow('broken');
    isBroken = false;
    expect(await paths.find(path, signal)).toBe(hit);
  });

  test('waits for the server that is meant, and finds tools that it has gained since', async () => {
    const asked: ListOptions[] = [];
    let tools: ToolHit[] = [];
    const paths = new ToolPaths({
      ...source,
      listTools(options = {}) {
        asked.push({ ...options });
        if (options.untilReady && options.server === hit.server) tools = [hit];
        const starting = {
          server: 'my-server',
          reason: 'It starts',
          fix: 'Wait.',
          isStarting: true as const,
        };
        const isMeant = options.server === undefined || options.server === hit.server;
        return Promise.resolve({
          tools: isMeant ? tools : [],
          failedServers: tools.length === 0 && isMeant ? [starting] : [],
        });
      },
    });
    expect(await paths.find({ server: 'myServer', tool: 'createIssue' }, signal)).toBe(hit);
    expect(asked).toEqual([
      { server: 'myServer', detail: 'schemas', untilReady: true, signal },
      { detail: 'schemas', signal },
      { server: 'my-server', detail: 'schemas', untilReady: true, signal },
    ]);
    const other: ToolHit = { name: 'mcp__my-server__other', server: 'my-server' };
    expect(await paths.find({ server: 'my_server', tool: 'other' }, signal)).toBeUndefined();
    const all = [hit, other];
    const grown = new ToolPaths({
      ...source,
      listTools: () =>
        Promise.resolve({ tools: all.slice(0, asked.push({}) > 5 ? 2 : 1), failedServers: [] }),
    });
    expect(await grown.find({ server: 'my-server', tool: 'createIssue' }, signal)).toBe(hit);
    expect(await grown.find({ server: 'my-server', tool: 'other' }, signal)).toBe(other);
  });
});
