/**
 * The least that does what our server does: a server on the SDK whose one tool runs code in a plain Deno process,
 * without walls, limits or checks. `argv[2]` is Deno; with `waiting` as `argv[3]`, a process waits for the code.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [denoPath, mode] = process.argv.slice(2);
const script = join(import.meta.dirname, 'bare-program.js');
const start = () => spawn(denoPath, ['run', script], { stdio: ['pipe', 'pipe', 'inherit'] });
let waiting = mode === 'waiting' ? start() : undefined;

const tools = [
  { name: 'execute', inputSchema: { type: 'object', properties: { code: { type: 'string' } } } },
];
const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  const deno = waiting ?? start();
  deno.stdin.write(`${JSON.stringify(params.arguments.code)}\n`);
  const [line] = await once(createInterface(deno.stdout), 'line');
  setImmediate(() => {
    deno.kill('SIGKILL');
    if (waiting) waiting = start();
  });
  return { content: [{ type: 'text', text: line }] };
});
process.stdin.on('end', () => waiting?.kill('SIGKILL'));
await server.connect(new StdioServerTransport());
