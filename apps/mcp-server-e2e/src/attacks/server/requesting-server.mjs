/**
 * An upstream MCP server that sends endless requests and reads no answers while its only tool is called: over stdio, or
 * with the argument `http` over Streamable HTTP on a free port, whose URL it prints.
 */
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** Writes the same text endlessly, as fast as it is read. */
function pour(stream, text) {
  const more = () => {
    while (!stream.destroyed && stream.write(text.repeat(500)));
    stream.once('drain', more);
  };
  more();
}

function resultOf({ method, params }) {
  const { protocolVersion } = params ?? {};
  if (method === 'tools/list') return { tools: [{ name: 'work', inputSchema: { type: 'object' } }] };
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'requesting', version: '0' } };
}

function serveStdio() {
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const message = JSON.parse(line);
    if (message.method === 'tools/call') {
      lines.pause();
      pour(process.stdout, `${ping}\n`);
    } else if (message.id !== undefined) {
      process.stdout.write(
        `${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) })}\n`,
      );
    }
  });
}

function serveHttp() {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const message = text === '' ? {} : JSON.parse(text);
    // Answers to its own requests are never read.
    if ('result' in message || 'error' in message) return;
    if (message.method === 'tools/call') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      pour(response, `data: ${ping}\n\n`);
    } else if (message.id === undefined) {
      response.writeHead(request.method === 'POST' ? 202 : 405).end();
    } else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) }));
    }
  });
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
}

if (process.argv[2] === 'http') serveHttp();
else serveStdio();
