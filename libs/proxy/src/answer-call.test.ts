import { fakeToolSource } from '@code-executor/contracts/testing';
import { afterEach, expect, test } from '@jest/globals';

import { serveToolProxy } from './serve-tool-proxy.js';
import { createToolProxy } from './tool-proxy.js';

type Server = Awaited<ReturnType<typeof serveToolProxy>>;

let server: Server | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function answerTo(text: string | Error): Promise<[number, string]> {
  const answer = () => (typeof text === 'string' ? text : Promise.reject(text));
  const tools = fakeToolSource({ mcp__test__text: answer });
  server = await serveToolProxy(createToolProxy({ tools, allowedTools: ['mcp__test__text'] }));
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: '{"toolName":"mcp__test__text"}',
  });
  return [response.status, await response.text()];
}

const overhead = '{"result":""}'.length;
const maxBytes = 16 * 1024 * 1024;

test('an answer has at most 16 MB', async () => {
  const [status, text] = await answerTo('x'.repeat(maxBytes - overhead));
  expect([status, text.length]).toEqual([200, maxBytes]);
});

test.each([
  ['characters', 'x'.repeat(maxBytes - overhead + 1)],
  ['bytes', 'ä'.repeat(maxBytes / 2)],
])('a result of more %s is refused', async (_what, text) => {
  const [status, body] = await answerTo(text);
  expect([status, JSON.parse(body)]).toEqual([
    429,
    {
      error: {
        code: 'resource_exhausted',
        message: 'The result is larger than 16 MB; ask for less of it at a time.',
      },
    },
  ]);
});

test('the error of a tool has at most 4,000 characters', async () => {
  const [status, body] = await answerTo(new Error('x'.repeat(4001)));
  const error = { code: 'tool_error', message: 'x'.repeat(4000), tool: 'mcp__test__text', server: 'test' };
  expect([status, JSON.parse(body)]).toEqual([502, { error }]);
});
