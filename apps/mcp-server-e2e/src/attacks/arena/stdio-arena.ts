import assert from 'node:assert/strict';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { ExecutionReport } from '@code-executor/executor';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

import type { Form, OnForm } from '../../protocol/person.js';
import { bin } from '../../server-under-test/bin.js';
import { untilGone } from '../../server-under-test/processes.js';
import { wholeReport } from '../../server-under-test/started-server.js';
import { Arena } from './arena.js';
import type { Mode } from './mode.js';
import type { Places } from './places.js';
import { checkNothingRuns } from './processes-left.js';
import { configOf, environmentOf, type Surroundings, createSurroundings } from './surroundings.js';

/** Parameters of an execution besides the code, and of the request that carries them. */
export interface RunOptions {
  allowedTools?: string[];
  permissions?: { read?: string[]; write?: string[]; net?: string[] };
  /** Default: 20,000. */
  timeoutMs?: number;
  request?: RequestOptions;
}

/** How the start of the server differs from the usual one. */
export interface StdioOptions {
  /** Configuration keys that are added to the usual ones, or replace them. */
  config?: object;
  /** Environment variables that are added to the usual ones, or replace them. */
  env?: Record<string, string>;
  /** Prepares the home before the server starts. */
  prepare?: (places: Places) => Promise<unknown>;
  /** The working directory of the server. Default: its home. */
  cwd?: (places: Places) => string;
  /** A command that starts the server, and its first arguments. */
  wrapper?: (places: Places) => readonly string[];
  /** What the person at the client does with a form. Without it, the client cannot show any. */
  onForm?: OnForm;
}

/** The fields of `health` that the attacks use. */
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

  /** Starts the server; with `auto`, it chooses the isolation mode. */
  static async start(
    mode: Mode | 'auto',
    {
      config = {},
      env = {},
      prepare,
      cwd = ({ home }) => home,
      wrapper = () => [],
      onForm,
    }: StdioOptions = {},
  ): Promise<StdioArena> {
    const surroundings = await createSurroundings();
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
    const capabilities = onForm ? { elicitation: { form: {} } } : {};
    const client = new Client({ name: 'attacker', version: '0' }, { capabilities });
    if (onForm) client.setRequestHandler(ElicitRequestSchema, ({ params }) => onForm(params as Form));
    await client.connect(transport);
    const arena = new StdioArena(
      surroundings,
      mode === 'auto' ? 'portable' : mode,
      transport.pid ?? 0,
      client,
    );
    transport.stderr?.on('data', (chunk: Buffer) => arena.addOutput('log', chunk.toString()));
    return arena;
  }

  /** Runs a TypeScript program; resolves with the server's report, whatever the outcome. */
  readonly run = (code: string, options?: RunOptions) => this.#execute('executeTypescript', code, options);

  /** Runs a Python program in the same way. */
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
    this.addOutput('answers', JSON.stringify(result));
    return wholeReport(result.structuredContent, result._meta);
  }

  /** How long the server takes to answer a ping, in ms. */
  async ping(): Promise<number> {
    const startedMs = performance.now();
    await this.#client.ping({ timeout: 120_000 });
    return performance.now() - startedMs;
  }

  async health(): Promise<Health> {
    const { structuredContent } = await this.#client.callTool({ name: 'health', arguments: {} });
    return structuredContent as Health;
  }

  /** Checks that a program runs, that nothing else does, and that the pipe of the server was not used. */
  async checkWorks(): Promise<void> {
    const { result, error } = await this.run('return 6 * 7');
    assert.deepEqual({ result, error }, { result: 42, error: undefined });
    await checkNothingRuns(this);
    assert.equal(
      this.#takePipe(),
      this.places.canary,
      'Something used the pipe that the server was started with.',
    );
  }

  /** The content of the pipe, which is then restored. */
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
    // The client may have killed the process, but does not wait for its end.
    await untilGone([this.pid]);
    closeSync(this.#pipe);
  }
}
