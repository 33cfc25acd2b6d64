/** Starts the built server in HTTP mode on a free port, and prints its URL. Needs a home of its own in the environment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { binOf } from '../run.mjs';

const port = await freePort();
const config = join(homedir(), 'conformance.json');
await mkdir(homedir(), { recursive: true });
await writeFile(config, JSON.stringify({ http: { port }, projectOnly: true }));
const args = [binOf('@code-executor/mcp-server'), '--http', '--no-auth', '--config', config];
const server = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
let log = '';
server.stderr.setEncoding('utf8').on('data', (chunk) => {
  const wasReady = log.includes('listening on');
  log += chunk;
  if (!wasReady && log.includes('listening on')) process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
});
process.once('SIGTERM', () => server.kill());
const [code] = await once(server, 'exit');
if (!log.includes('listening on')) process.stderr.write(log);
process.exitCode = code ?? 0;

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port: free } = probe.address();
  probe.close();
  await once(probe, 'close');
  return free;
}
