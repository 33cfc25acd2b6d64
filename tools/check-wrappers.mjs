/**
 * Checks generated wrappers: a program in each language, in a separate project, calls tools through them and the
 * installed server. `node tools/check-wrappers.mjs` runs only this.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

import { check, inTemporaryFolder, installAll, packAll } from './checks/installed-packages.mjs';
import { ensureBuilt } from './ensure-built.mjs';
import { reportChecks } from './print.mjs';
import { listPackages } from './projects.mjs';
import { binOf, cleanEnvironment, root, run, runBin } from './run.mjs';

/** One check per language, and one for the installation. */
export function checkWrappers() {
  return inTemporaryFolder('wrappers', async (folder) => {
    const installed = join(folder, 'installed');
    const install = await installAll(installed, await packAll(listPackages(), folder));
    return install.failed > 0 ? [install] : [install, ...(await tryWrappers(installed))];
  });
}

/** The tools that the program may call. It also tries `read_graph`, which must be refused. */
const allowed = ['mcp__memory__create_entities', 'mcp__memory__open_nodes'];

const typescript = `import { memory } from './wrappers/typescript/index.js';
await memory.createEntities({ entities: [{ name: 'answer', entityType: 'number', observations: ['42'] }] });
const { entities } = await memory.openNodes({ names: ['answer'] });
const found: string[] = entities.flatMap(({ observations }) => observations);
console.log(found.join());
`;
const python = `from wrappers.python import memory, ToolNotAllowedError
try:
    memory.read_graph()
except ToolNotAllowedError:
    print(memory.open_nodes(names=["answer"])["entities"][0]["observations"][0])
`;

/** One check per language; `folder` has the packages installed. */
export async function tryWrappers(folder) {
  const project = join(folder, 'scratch');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  const http = { port: await freePort() };
  const env = cleanEnvironment({ HOME: project, USERPROFILE: project, CODE_EXECUTOR_HOME: project });
  const memory = {
    command: process.execPath,
    args: [binOf('@modelcontextprotocol/server-memory', 'mcp-server-memory')],
    env: { MEMORY_FILE_PATH: join(project, 'memory.jsonl') },
  };
  const config = { projectOnly: true, http, mcpServers: { memory } };
  await writeFile(join(project, 'config.json'), JSON.stringify(config), { mode: 0o600 });

  const bin = (name) => join(folder, 'node_modules', '.bin', name);
  const cli = (...args) => run(bin('code-executor'), args, { cwd: project, env });
  const made = await cli('wrappers', 'generate', '--out', 'wrappers');
  const token = await cli('token', 'create', 'app', ...allowed.flatMap((tool) => ['--allow', tool]));
  const server = spawn(bin('code-executor-mcp'), ['--http'], {
    cwd: project,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(server, 'close');
  try {
    await listening(server);
    const access = {
      CODE_EXECUTOR_PROXY_URL: `http://127.0.0.1:${http.port}`,
      CODE_EXECUTOR_AUTH_TOKEN: token.stdout.trim(),
    };
    const options = { cwd: project, env: { ...env, ...access } };
    await writeFile(join(project, 'main.ts'), typescript);
    await writeFile(join(project, 'main.py'), python);
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules', '@types')];
    const compiled = await runBin(
      'typescript',
      ['--strict', '--module', 'nodenext', '--outDir', 'out', ...types, 'main.ts'],
      {
        command: 'tsc',
        ...options,
      },
    );
    const typed = await run(process.execPath, ['out/main.js'], options);
    const untyped = await run('python3', ['main.py'], options);
    const toTypeScript = problemOf([made, token, compiled, typed]);
    return [
      check('wrappers call the installed server from TypeScript', toTypeScript),
      check('wrappers call the installed server from Python', problemOf([made, token, untyped])),
    ];
  } finally {
    server.kill();
    await ended;
  }
}

/** A problem if a run failed, or the last one did not print the answer. */
function problemOf(runs) {
  const isRight = runs.every(({ code }) => code === 0) && runs.at(-1).stdout.trim() === '42';
  return isRight ? '' : runs.map(({ output }) => output).join('\n');
}

/** A free port outside of the ephemeral range, so that no other process gets it before the server does. */
async function freePort() {
  const port = randomInt(20_000, 32_000);
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error.code === 'EADDRINUSE') return freePort();
    throw error;
  }
  server.close();
  await once(server, 'close');
  return port;
}

/** Waits for the line that says that the server listens; throws if the server ends before. */
async function listening({ stderr }) {
  for await (const line of createInterface({ input: stderr })) if (line.includes('listening on')) return;
  throw new Error('The server ended before it listened.');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await ensureBuilt();
  const { passed, failed } = reportChecks(await checkWrappers());
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
