/**
 * The least server on the SDK with one tool that answers at once: what a transport costs by itself. It uses stdio, or with
 * `http` as `argv[2]` Streamable HTTP in sessions, and then prints its URL.
 */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

import { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const server = new Server({ name: 'echo', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler('tools/call', ({ params }) => ({
  content: [{ type: 'text', text: params.arguments.text }],
}));

if (process.argv[2] !== 'http') {
  await server.connect(new StdioServerTransport());
} else {
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => 'one' });
  await server.connect(transport);
  const http = createServer(async (incoming, outgoing) => {
    const { method } = incoming;
    // The SDK reads these alone.
    const headers = Object.entries(incoming.headers).filter(([name]) =>
      /^(?:accept|content-type|mcp)/.test(name),
    );
    const parsedBody = method === 'POST' ? await json(incoming) : undefined;
    const answer = await transport.handleRequest(new Request('http://echo/mcp', { method, headers }), {
      parsedBody,
    });
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) for await (const piece of answer.body) outgoing.write(piece);
    outgoing.end();
  });
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}
