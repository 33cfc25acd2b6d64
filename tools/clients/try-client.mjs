/** One client over one transport, from its start to what it showed its model. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { drivers } from './drivers.mjs';
import { startModel } from './model-endpoint.mjs';
import { startServer } from './start-server.mjs';
import { stepsFor } from './steps.mjs';

/** How long everything but the long step may take. */
const otherMs = 180_000;

/** Resolves with the methods that the client called, and what it gave its model for each step. */
export async function tryClient(name, transport, { folder, longMs }) {
  const { bin, prepare } = drivers[name];
  const home = await mkdtemp(join(tmpdir(), `client-${name}-${transport}-`));
  const wire = join(home, 'wire.jsonl');
  await writeFile(wire, '');
  const model = await startModel(stepsFor(longMs));
  const server = await startServer(transport, home, wire);
  const { args, env } = await prepare(home, server.connection, model.url);
  const begunAt = performance.now();
  const { code, output } = await runClient(join(folder, 'node_modules/.bin', bin), args, {
    home,
    env,
    limitMs: longMs + otherMs,
  });
  await server.stop();
  model.close();
  await writeFile(join(home, 'output.txt'), output);
  await writeFile(join(home, 'results.json'), JSON.stringify(model.results, null, 2));
  const lines = (await readFile(wire, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return {
    name,
    transport,
    code,
    seconds: Math.round((performance.now() - begunAt) / 1000),
    versions: distinct(lines, /protocolVersion\\?":\\?"([\d-]+)/),
    methods: distinct(
      lines.filter(({ from }) => from === 'client'),
      /"method":"([^"]+)"/,
    ),
    asked: distinct(
      lines.filter(({ from }) => from === 'server'),
      /(elicitation\/create|input_required|"resultType":"task")/,
    ),
    results: model.results,
    home,
  };
}

/** Nothing of the user's own: another home, and only the variables that the client needs. */
async function runClient(command, args, { home, env, limitMs }) {
  const cwd = join(home, 'work');
  await mkdir(cwd);
  const base = { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), PATH: process.env.PATH, TERM: 'dumb' };
  const client = spawn(command, args, { cwd, env: { ...base, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [client.stdout, client.stderr]) stream.on('data', (chunk) => (output += chunk));
  const timer = setTimeout(() => client.kill(), limitMs);
  const code = await new Promise((resolve) => client.once('exit', resolve));
  clearTimeout(timer);
  return { code, output };
}

function distinct(lines, pattern) {
  return [...new Set(lines.flatMap(({ line }) => pattern.exec(line)?.[1] ?? []))];
}
