/** An upstream server with the tools `read` and `remove`, which say what they did with which `path`. */
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const inputSchema = { type: 'object' };

function answer({ method, params }) {
  if (method === 'initialize') {
    const { protocolVersion } = params;
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'files', version: '0' } };
  }
  if (method === 'tools/list') return { tools: ['read', 'remove'].map((name) => ({ name, inputSchema })) };
  const { name, arguments: args = {} } = params;
  return { content: [{ type: 'text', text: `${name} ${args.path}` }] };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, ...request } = JSON.parse(line);
  if (id !== undefined) send({ id, result: answer(request) });
});
