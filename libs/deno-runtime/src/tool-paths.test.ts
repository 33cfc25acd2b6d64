import type { ToolHit, ToolSource } from '@code-executor/contracts';
import { describe, expect, test } from '@jest/globals';

import { ToolPaths } from './tool-paths.js';

describe('ToolPaths', () => {
  const { signal } = new AbortController();
  const hit: ToolHit = { name: 'mcp__my-server__create-issue', server: 'my-server' };
  const failedServers = [{ server: 'broken', reason: 'It was not found', fix: 'Install it.' }];
  /** Tells of all that failed, as a listing does once everything is known. */
  const source: ToolSource<ToolHit> = {
    listTools: ({ server } = {}) =>
      Promise.resolve({ tools: server === undefined || server === hit.server ? [hit] : [], failedServers }),
    callTool: () => Promise.reject(new Error('not called')),
  };

  test('a server that failed hides none of the others', async () => {
    const paths = new ToolPaths(source);
    expect(await paths.find({ server: 'myServer', tool: 'createIssue' }, signal)).toBe(hit);
  });

  test('a server that failed has no tools by path', async () => {
    const paths = new ToolPaths(source);
    expect(await paths.find({ server: 'broken', tool: 'createIssue' }, signal)).toBeUndefined();
  });
});
