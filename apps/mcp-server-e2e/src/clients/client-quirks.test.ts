import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { programs } from '../executions/programs.js';
import { StartedServer } from '../server-under-test/started-server.js';

const config = JSON.stringify({ mcpServers: { dead: { command: process.execPath, args: ['--version'] } } });

describe.each([
  { clientName: 'codex-mcp-client', getsBoth: false, showsMetaOfErrors: false },
  { clientName: 'claude-code', getsBoth: true, showsMetaOfErrors: false },
  { clientName: 'gemini-cli-mcp-client', getsBoth: true, showsMetaOfErrors: true },
])('$clientName', ({ clientName, getsBoth, showsMetaOfErrors }) => {
  let server: StartedServer;
  beforeAll(async () => {
    server = await StartedServer.start({ '.code-executor.json': config }, {}, undefined, clientName);
  });
  afterAll(() => server.close());

  const run = (code: string) =>
    server.client.callTool({ name: 'executeTypescript', arguments: { code, allowedTools: ['dead'] } });

  test(`is ${getsBoth ? '' : 'not '}announced structured content`, async () => {
    const { tools } = await server.client.listTools();
    expect(tools.map(({ outputSchema }) => outputSchema !== undefined)).toEqual(tools.map(() => getsBoth));
  });

  test(`gets pictures ${getsBoth ? 'together with' : 'instead of'} structured content`, async () => {
    const { content, structuredContent } = await run(programs.typescript.shows);
    const [text, picture] = content as [{ text: string }, object];
    expect(JSON.parse(text.text)).toMatchObject({ images: [{ mimeType: 'image/png', bytes: 70 }] });
    expect(picture).toMatchObject({ type: 'image', mimeType: 'image/png' });
    expect(structuredContent !== undefined).toBe(getsBoth);
  });

  test(`gets an error ${showsMetaOfErrors ? 'without' : 'with'} _meta`, async () => {
    const result = await run("await callMCPTool('mcp__dead__echo')");
    const [{ text }] = result.content as [{ text: string }];
    expect(JSON.parse(text)).toMatchObject({ success: false, errorCode: 'user_error' });
    expect(Object.keys(result).sort()).toEqual(
      showsMetaOfErrors
        ? ['content', 'isError', 'structuredContent']
        : ['_meta', 'content', 'isError', 'structuredContent'],
    );
  });

  test('gets a result without pictures as structured content and as text', async () => {
    const { content, structuredContent } = await run('return 1');
    expect(structuredContent).toMatchObject({ success: true, result: 1 });
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
  });
});
