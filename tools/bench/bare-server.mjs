/**
 * A minimal server on the SDK to compare with ours: its one tool runs code in a plain Deno process, without isolation,
 * limits or checks. `argv[2]` is the path of Deno; with `waiting` as `argv[3]`, a process is started in advance;
 * `argv[4]` is the script of an upstream server, whose tools the code can call.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const [denoPath, mode, upstreamScript] = process.argv.slice(2);
const script = join(import.meta.dirname, 'bare-program.js');
const start = () => spawn(denoPath, ['run', script], { stdio: ['pipe', 'pipe', 'inherit'] });
let waiting = mode === 'waiting' ? start() : undefined;
const upstream = new Client({ name: 'bare', version: '1.0.0' });
if (upstreamScript) {
  const args = [upstreamScript, 'stdio'];
  await upstream.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
}

const tools = [
  { name: 'execute', inputSchema: { type: 'object', properties: { code: { type: 'string' } } } },
];
const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler('tools/list', () => ({ tools }));
server.setRequestHandler('tools/call', async ({ params }) => {
  const deno = waiting ?? start();
  deno.stdin.write(`${JSON.stringify(params.arguments.code)}\n`);
  const value = await new Promise((resolve) => {
    createInterface(deno.stdout).on('line', async (line) => {
      const { value, id, name, args } = JSON.parse(line);
      if (id === undefined) return resolve(JSON.stringify(value));
      const { content } = await upstream.callTool({ name, arguments: args });
      deno.stdin.write(`${JSON.stringify({ id, value: content[0].text })}\n`);
    });
  });
  setImmediate(() => {
    deno.kill('SIGKILL');
    if (waiting) waiting = start();
  });
  return { content: [{ type: 'text', text: value }] };
});
process.stdin.on('end', () => {
  waiting?.kill('SIGKILL');
  void upstream.close();
});
await server.connect(new StdioServerTransport());
