import assert from 'node:assert/strict';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { ExecutionReport } from '@code-executor/executor';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';

import { bin } from '../../server-under-test/bin.js';
import { untilGone } from '../../server-under-test/processes.js';
import { wholeReport } from '../../server-under-test/started-server.js';
import { Arena } from './arena.js';
import type { Mode } from './mode.js';
import type { Places } from './places.js';
import { checkNothingRuns } from './processes-left.js';
import { configOf, environmentOf, type Surroundings, surround } from './surroundings.js';

/** Parameters of an execution beside the code, and of the request that carries them. */
export interface RunOptions {
  allowedTools?: string[];
  permissions?: { read?: string[]; write?: string[]; net?: string[] };
  /** Default 20,000. */
  timeoutMs?: number;
  request?: RequestOptions;
}

/** How the server is started, where that is not as usual. */
export interface StdioOptions {
  /** Keys beside, or instead of, the usual ones of the configuration. */
  config?: object;
  /** Variables beside, or instead of, the usual ones of the environment. */
  env?: Record<string, string>;
  /** Does something to the home before the server starts. */
  prepare?: (places: Places) => Promise<unknown>;
  /** The working directory of the server; its home unless told. */
  cwd?: (places: Places) => string;
  /** A command that starts the server, with its first arguments. */
  wrapper?: (places: Places) => readonly string[];
}

/** What `health` says, as far as it matters here. */
export interface Health {
  timestamp: string;
  isolation?: Mode;
  note?: string;
  executions: { running: number };
  connectionPool: { waiting: number };
  spares?: { ready: number };
}

/** Descriptors that a careless client leaves open: a secret file to read and to append to, and a pipe. */
const leaveOpen = 'exec 7<"$1" 9>>"$1" 8<>"$2"; shift 2; exec "$@"';

/** The built server, started over stdio: its clients run programs. */
export class StdioArena extends Arena {
  readonly #client: Client;
  readonly #pipe: number;

  private constructor(
    surroundings: Surroundings,
    readonly mode: Mode,
    readonly pid: number,
    client: Client,
  ) {
    super(surroundings);
    this.#client = client;
    this.#pipe = openSync(this.places.pipe, constants.O_RDWR | constants.O_NONBLOCK);
    writeSync(this.#pipe, this.places.canary);
  }

  /** Starts the server; `auto` leaves the mode to it. */
  static async start(
    mode: Mode | 'auto',
    { config = {}, env = {}, prepare, cwd = ({ home }) => home, wrapper = () => [] }: StdioOptions = {},
  ): Promise<StdioArena> {
    const surroundings = await surround();
    const { places } = surroundings;
    await writeFile(
      join(places.home, '.code-executor.json'),
      JSON.stringify({ ...configOf(places), ...config }),
    );
    await prepare?.(places);
    const secret = join(places.secrets, 'secret.txt');
    const transport = new StdioClientTransport({
      command: '/bin/sh',
      args: ['-c', leaveOpen, 'sh', secret, places.pipe, ...wrapper(places), process.execPath, bin],
      cwd: cwd(places),
      env: { ...environmentOf(places, mode), ...env },
      stderr: 'pipe',
    });
    const client = new Client({ name: 'attacker', version: '0' });
    await client.connect(transport);
    const arena = new StdioArena(
      surroundings,
      mode === 'auto' ? 'portable' : mode,
      transport.pid ?? 0,
      client,
    );
    transport.stderr?.on('data', (chunk: Buffer) => arena.hear('log', chunk.toString()));
    return arena;
  }

  /** Runs a program in TypeScript; resolves with what the server reports, whatever became of it. */
  readonly run = (code: string, options?: RunOptions) => this.#execute('executeTypescript', code, options);

  /** The same for a program in Python. */
  readonly runPython = (code: string, options?: RunOptions) => this.#execute('executePython', code, options);

  async #execute(
    name: string,
    code: string,
    { request, timeoutMs = 20_000, ...options }: RunOptions = {},
  ): Promise<ExecutionReport> {
    const result = await this.#client.callTool(
      { name, arguments: { code, timeoutMs, ...options } },
      undefined,
      { timeout: timeoutMs + 40_000, ...request },
    );
    this.hear('answers', JSON.stringify(result));
    return wholeReport(result.structuredContent, result._meta);
  }

  /** How long the server takes for the smallest answer, in ms. */
  async ping(): Promise<number> {
    const startedMs = performance.now();
    await this.#client.ping({ timeout: 120_000 });
    return performance.now() - startedMs;
  }

  async health(): Promise<Health> {
    const { structuredContent } = await this.#client.callTool({ name: 'health', arguments: {} });
    return structuredContent as Health;
  }

  /** A program runs, nothing else does, and nobody used the pipe that the server was started with. */
  async checkWorks(): Promise<void> {
    const { result, error } = await this.run('return 6 * 7');
    assert.deepEqual({ result, error }, { result: 42, error: undefined });
    await checkNothingRuns(this);
    assert.equal(this.#takePipe(), this.places.canary, 'The pipe that the server was started with was used.');
  }

  /** What is in the pipe; it is put back. */
  #takePipe(): string {
    const bytes = Buffer.alloc(65_536);
    let length = 0;
    try {
      length = readSync(this.#pipe, bytes);
    } catch {
      // It is empty.
    }
    writeSync(this.#pipe, this.places.canary);
    return bytes.toString('utf8', 0, length);
  }

  async end(): Promise<void> {
    await this.#client.close();
    // The client may have killed it, and does not wait for that.
    await untilGone([this.pid]);
    closeSync(this.#pipe);
  }
}
