/** Starts real processes for the cases, in a clean environment, which makes up to 30 ms difference for Node. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { chooseDenoIsolation, DenoProcess, denoCommand, findDeno } from '@code-executor/deno-runtime';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { timed } from './measure.mjs';

export const root = join(import.meta.dirname, '..', '..');
export const serverBin = join(root, 'apps', 'mcp-server', 'bin', 'code-executor-mcp.js');
/** The path of the interpreter itself, because `python3` may be a slower launcher. */
export const python3 = '/usr/bin/python3';
export const pyodideFolder = dirname(fileURLToPath(import.meta.resolve('pyodide')));
const heapReport = pathToFileURL(join(import.meta.dirname, 'heap-report.mjs')).href;
const bareServer = join(import.meta.dirname, 'bare-server.mjs');
export const everythingBin = join(
  root,
  'node_modules',
  '@modelcontextprotocol',
  'server-everything',
  'dist',
  'index.js',
);

/** A temporary folder that is HOME for all child processes. */
export class Workplace {
  #clients = [];
  #closers = [];

  static async open() {
    const workplace = new Workplace();
    workplace.folder = await mkdtemp(join(tmpdir(), 'code-executor-bench-'));
    workplace.env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: workplace.folder };
    workplace.denoPath = await findDeno();
    workplace.emptyScript = join(workplace.folder, 'empty.ts');
    await writeFile(workplace.emptyScript, '');
    return workplace;
  }

  /** Milliseconds from spawn to exit. */
  run(file, args, env = this.env) {
    return timed(() => {
      const child = spawn(file, args, { cwd: this.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
      return new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
    });
  }

  /** The baseline B: the native Deno binary runs an empty file. */
  plainDeno = () =>
    this.run(this.denoPath, ['run', this.emptyScript], {
      DENO_DIR: join(this.folder, 'deno'),
      DENO_NO_UPDATE_CHECK: '1',
    });

  /** Starts our built server with a configuration, and connects a real client with these capabilities. */
  async startServer(config = {}, env = {}, capabilities = {}) {
    const file = join(this.folder, `config-${this.#clients.length}.json`);
    // The cases measure complete listings.
    const discovery = { timeoutMs: 60_000 };
    const all = { projectOnly: true, log: { level: 'error' }, discovery, ...config };
    await writeFile(file, JSON.stringify(all));
    return this.connect(process.execPath, [serverBin, '--config', file], env, capabilities);
  }

  /** Starts our built server with `--http`; once it listens, its process id, and what its heap holds in MB. */
  async startHttp(config) {
    const file = join(this.folder, `config-http-${this.#closers.length}.json`);
    await writeFile(file, JSON.stringify({ projectOnly: true, ...config }));
    const args = ['--expose-gc', '--import', heapReport, serverBin, '--http', '--config', file];
    const child = spawn(process.execPath, args, {
      cwd: this.folder,
      env: this.env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    this.onClose(async () => {
      child.kill();
      await ended;
    });
    let said = '';
    const listening = new Promise((resolve) => {
      child.stderr.on('data', (chunk) => {
        said += chunk;
        if (said.includes('listening on')) resolve();
      });
    });
    await Promise.race([
      listening,
      ended.then(() => {
        throw new Error(`The server did not start: ${said}`);
      }),
    ]);
    /** Without garbage: how much of that V8 keeps depends on when it last had to collect. */
    const heapMb = async () => {
      said = '';
      child.kill('SIGUSR2');
      while (!/^heap \d+$/m.test(said)) await delay(50);
      return Number(/^heap (\d+)$/m.exec(said)[1]) / 1024 / 1024;
    };
    return { pid: child.pid, heapMb };
  }

  /** Starts the minimal server that runs programs in Deno; with `waiting`, in a process that starts in advance. */
  startBareServer(...mode) {
    return this.connect(process.execPath, [bareServer, this.denoPath, ...mode]);
  }

  /** Starts a script that prints its URL; resolves with that. */
  async startPrintedUrl(file, ...args) {
    const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.onClose(() => {
      child.kill();
      return once(child, 'close');
    });
    const [url] = await once(createInterface({ input: child.stdout }), 'line');
    return new URL(url);
  }

  startEverything() {
    return this.connect(process.execPath, [everythingBin, 'stdio']);
  }

  async connect(command, args, env = {}, capabilities = {}) {
    const client = new Client({ name: 'code-executor-bench', version: '1.0.0' }, { capabilities });
    const transport = new StdioClientTransport({
      command,
      args,
      cwd: this.folder,
      env: { ...this.env, ...env },
      stderr: 'ignore',
    });
    await client.connect(transport);
    this.#clients.push(client);
    return { client, pid: transport.pid };
  }

  /** Registers something else that must be closed. */
  onClose(closer) {
    this.#closers.push(closer);
  }

  async close() {
    await Promise.all(this.#closers.map((closer) => closer()));
    await Promise.all(this.#clients.map((client) => client.close()));
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The upstream entry for server-everything. */
export const everything = { command: process.execPath, args: [everythingBin, 'stdio'] };

/** Runs a program through a server; throws unless it succeeds. */
export async function execute(client, code, { language = 'typescript', ...options } = {}) {
  const name = language === 'python' ? 'executePython' : 'executeTypescript';
  const result = await client.callTool({ name, arguments: { code, ...options } }, { timeout: 120_000 });
  if (result.isError) throw new Error(`An execution failed: ${result.structuredContent.error}`);
  return result.structuredContent;
}

export async function untilSpares(client, count, language = 'typescript') {
  while ((await sparesOf(client, language)).ready < count) await delay(10);
}

/** The number of ready spares of a language, and their resident memory. */
export async function sparesOf(client, language) {
  const { structuredContent } = await client.callTool({ name: 'health', arguments: {} });
  const sandbox = structuredContent.sandboxes?.find((each) => each.language === language);
  return sandbox?.spares ?? { ready: 0, memoryMb: 0 };
}

/** Runs a script that may read Pyodide to its end, with the isolation and flags of our own processes. */
export async function runInSandbox(denoPath, script) {
  const { mode } = await chooseDenoIsolation(denoPath, 'auto');
  const command = await denoCommand(mode, {
    denoPath,
    script: pathToFileURL(script),
    limits: { heapMb: 128, memoryMb: 512, cpuSeconds: 60 },
    grants: { read: [], write: [] },
    ownFiles: { pyodide: pyodideFolder },
  });
  const { code } = await new DenoProcess(command, { maxOutputBytes: 1024 * 1024 }).exit;
  if (code !== 0) throw new Error(`${script} ended with ${code}.`);
}

/** Resolves with the number that a program prints. */
export function printedNumber(workplace, file, args) {
  const child = spawnScript(workplace, file, args, ['ignore', 'pipe', 'inherit']);
  return numberFrom(child, child.stdout);
}

/** Resolves with the number that a program writes to stderr. Its stdout is piped back to its stdin. */
export function echoedNumber(workplace, file, args) {
  const child = spawnScript(workplace, file, args, ['pipe', 'pipe', 'pipe']);
  child.stdout.on('data', (chunk) => child.stdin.write(chunk));
  return numberFrom(child, child.stderr);
}

function spawnScript({ folder }, file, args, stdio) {
  const env = { DENO_DIR: join(folder, 'deno'), DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' };
  return spawn(file, args, { env, stdio });
}

function numberFrom(child, stream) {
  let output = '';
  stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve, reject) =>
    child.on('close', (code) => {
      if (code === 0) resolve(Number(output));
      else reject(new Error(`${child.spawnfile} ended with ${code}: ${output}`));
    }),
  );
}

export function residentMb(pid) {
  return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096) / 1024 / 1024;
}
