/** The built server for a client, with everything recorded that passes between the two. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { binOf, root } from '../run.mjs';
import { recordHttp } from './record-http.mjs';
import { askedTool } from './steps.mjs';

const bin = binOf('@code-executor/mcp-server');
const everything = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

/** Resolves with what a client needs (`connection`), and `stop`. Over stdio, the client itself starts the server. */
export async function startServer(transport, home, wire) {
  const token = randomBytes(32).toString('base64url');
  const tokenHash = `sha256:${createHash('sha256').update(token).digest('hex')}`;
  const port = randomInt(20_000, 30_000);
  const config = join(home, 'config.json');
  const env = { CODE_EXECUTOR_HOME: join(home, 'code-executor') };
  await mkdir(env.CODE_EXECUTOR_HOME, { recursive: true });
  await writeFile(
    config,
    JSON.stringify({
      projectOnly: true,
      mcpServers: { everything: { command: process.execPath, args: [everything, 'stdio'] } },
      policy: { servers: { everything: { ask: [askedTool] } } },
      http: { port, clients: { tester: { tokenHash, policy: { allow: ['mcp__*'] } } } },
    }),
  );
  if (transport === 'stdio') {
    const recorder = join(root, 'tools/clients/record-stdio.mjs');
    const args = [recorder, wire, process.execPath, bin, '--config', config];
    return { connection: { command: process.execPath, args, env }, stop: () => Promise.resolve() };
  }
  const stop = await listen([bin, '--http', '--config', config], { ...process.env, ...env, HOME: home });
  const proxy = await recordHttp(wire, `http://127.0.0.1:${port}`);
  return {
    connection: { url: `${proxy.url}/mcp`, token },
    stop() {
      proxy.close();
      return stop();
    },
  };
}

/** Resolves, once the server listens, with the function that ends it. */
function listen(args, env) {
  const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  return new Promise((resolve, reject) => {
    let log = '';
    server.stderr.setEncoding('utf8').on('data', (chunk) => {
      log += chunk;
      if (log.includes('listening on')) resolve(() => (server.kill(), ended));
    });
    void ended.then(() => reject(new Error(log)));
  });
}
