import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { ExecutionReport } from '@code-executor/executor';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';

import { bin, removeHome, untilGone, wholeReport } from '../started-server.test.support.js';
import type { Mode } from './attack.js';
import type { Places } from './places.js';
import { configOf, environmentOf, surround } from './surroundings.js';
import { takeUpstreamCalls, upstreamCalls } from './upstream-calls.js';
import type { Traps } from './traps.js';

/** Parameters of an execution beside the code, and of the request that carries them. */
export interface RunOptions {
  allowedTools?: string[];
  permissions?: { read?: string[]; write?: string[]; net?: string[] };
  /** Default 20,000. */
  timeoutMs?: number;
  request?: RequestOptions;
}

/** How the server is started, where that is not as usual. */
export interface ArenaOptions {
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

/** The built server, started over stdio in the middle of secrets and traps. */
export class Arena {
  readonly #client: Client;
  readonly #traps: Traps;
  readonly #pipe: number;
  #stderr = '';
  #answers = '';

  private constructor(
    readonly mode: Mode,
    readonly places: Places,
    readonly pid: number,
    connection: { client: Client; traps: Traps; pipe: number },
  ) {
    this.#client = connection.client;
    this.#traps = connection.traps;
    this.#pipe = connection.pipe;
  }

  /** Starts the server; `auto` leaves the mode to it. */
  static async start(
    mode: Mode | 'auto',
    { config = {}, env = {}, prepare, cwd = ({ home }) => home, wrapper = () => [] }: ArenaOptions = {},
  ): Promise<Arena> {
    const { places, traps } = await surround();
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
    const pipe = openSync(places.pipe, constants.O_RDWR | constants.O_NONBLOCK);
    writeSync(pipe, places.canary);
    const server = new Arena(mode === 'auto' ? 'portable' : mode, places, transport.pid ?? 0, {
      client,
      traps,
      pipe,
    });
    transport.stderr?.on('data', (chunk: Buffer) => (server.#stderr += chunk.toString()));
    return server;
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
    this.#answers += JSON.stringify(result);
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

  /** The calls that reached upstream servers since this was last asked. */
  readonly takeUpstreamCalls = () => takeUpstreamCalls(this.places);

  /** The same, left there: more may come at any time. */
  readonly upstreamCalls = () => upstreamCalls(this.places);

  /** What the server has logged since its words were last taken. */
  get log(): string {
    return this.#stderr;
  }

  /** Everything that the server has said since this was last asked: its answers, and its log. */
  takeWords(): { answers: string; log: string } {
    const words = { answers: this.#answers, log: this.#stderr };
    this.#answers = '';
    this.#stderr = '';
    return words;
  }

  /** What is in the pipe that the server was started with; it is put back. */
  takePipe(): string {
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

  /** Who talked to a trap since this was last asked. */
  takeCaught(): string[] {
    return this.#traps.caught.splice(0);
  }

  /** Ends it, and removes its home unless somebody wants to look at that. */
  async close({ keepHome = false } = {}): Promise<void> {
    await this.#client.close();
    // The client may have killed it, and does not wait for that.
    await untilGone([this.pid]);
    this.#traps.close();
    closeSync(this.#pipe);
    if (!keepHome) await removeHome(this.places.home);
  }
}
