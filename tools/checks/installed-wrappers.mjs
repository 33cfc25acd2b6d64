/** Programs in a project of their own that call tools through generated wrappers and the installed server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { binOf, cleanEnvironment, root, run, runBin } from '../run.mjs';

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

/** Resolves with one outcome per language, `{ name, problem }`; `folder` has the packages installed. */
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
  const policy = { defaultAllowedTools: ['mcp__memory__create_entities', 'mcp__memory__open_nodes'] };
  const config = { projectOnly: true, http, policy, mcpServers: { memory } };
  await writeFile(join(project, 'config.json'), JSON.stringify(config), { mode: 0o600 });

  const bin = (name) => join(folder, 'node_modules', '.bin', name);
  const made = await run(bin('code-executor'), ['wrappers', 'wrappers'], { cwd: project, env });
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
      CODE_EXECUTOR_AUTH_TOKEN: (await readFile(join(project, 'http-token'), 'utf8')).trim(),
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
    return [
      {
        name: 'wrappers call the installed server from TypeScript',
        problem: problemOf([made, compiled, typed]),
      },
      { name: 'wrappers call the installed server from Python', problem: problemOf([made, untyped]) },
    ];
  } finally {
    server.kill();
    await ended;
  }
}

/** The last one has to print the answer. */
function problemOf(runs) {
  const isRight = runs.every(({ code }) => code === 0) && runs.at(-1).stdout.trim() === '42';
  return isRight ? '' : runs.map(({ output }) => output).join('\n');
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Waits for the line that says so; a server that ends before has none. */
async function listening({ stderr }) {
  for await (const line of createInterface({ input: stderr })) if (line.includes('listening on')) return;
  throw new Error('The server ended before it listened.');
}
