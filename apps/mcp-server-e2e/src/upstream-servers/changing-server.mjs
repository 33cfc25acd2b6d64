/**
 * An upstream server whose tools are those in the file `argv[2]`, a JSON array, each time they are listed. Each call
 * answers with `called`. A call of a tool named `change` first replaces the tools by those in its argument `tools`, if it has one; with
 * `announced`, the server says so.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file] = process.argv.slice(2);
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const capabilities = { tools: { listChanged: true } };
    write({ id, result: { protocolVersion, capabilities, serverInfo: { name: 'changing', version: '0' } } });
  } else if (method === 'tools/list') {
    write({ id, result: { tools: JSON.parse(readFileSync(file, 'utf8')) } });
  } else if (method === 'tools/call') {
    if (params.name === 'change') {
      const { tools } = params.arguments;
      if (tools) writeFileSync(file, JSON.stringify(tools));
      if (params.arguments.announced) write({ method: 'notifications/tools/list_changed' });
    }
    write({ id, result: { content: [{ type: 'text', text: 'called' }] } });
  } else if (id !== undefined) {
    write({ id, error: { code: -32601, message: 'no such method' } });
  }
});
