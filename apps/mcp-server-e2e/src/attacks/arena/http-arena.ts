import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

import { freePort } from '@code-executor/contracts/testing';

import { bin } from '../../server-under-test/bin.js';
import { until } from '../../server-under-test/until.js';
import { Arena } from './arena.js';
import { configOf, environmentOf, type Surroundings, surround } from './surroundings.js';

/** What the clients may do, by their ids; each has a token of its own. */
const rights = {
  alice: { policy: { allow: ['mcp__fixture__echo'] } },
  bob: { policy: { allow: ['mcp__fixture__pay'] } },
  // Would have everything, if it were for the client.
  greedy: { policy: { allow: ['*', 'mcp__fixture__pay'], deny: ['mcp__fixture__pay'] } },
  nobody: { policy: { allow: [] } },
  narrow: { policy: { deny: ['mcp__other__*'] } },
  // As everybody is limited where the attacks are in no hurry.
  hasty: { rateLimit: { enabled: true } },
  // Has what the policy gives to all.
  constructor: {},
};
export type ClientId = keyof typeof rights;
export const clientIds = Object.keys(rights) as ClientId[];

/** What came back. */
export interface Answer {
  status: number;
  text: string;
  headers: Headers;
}

const hashOf = (token: string) => `sha256:${createHash('sha256').update(token).digest('hex')}`;
/** Nobody waits longer for an answer; a connection without one is cut. */
const patienceMs = 20_000;

/** The built server, started with `--http`: its clients list and call tools, and run nothing. */
export class HttpArena extends Arena {
  readonly tokens = Object.fromEntries(
    clientIds.map((id) => [id, randomBytes(32).toString('base64url')]),
  ) as Record<ClientId, string>;
  #child: ChildProcess | undefined;

  private constructor(
    surroundings: Surroundings,
    readonly port: number,
  ) {
    super(surroundings);
  }

  /** Starts the server; without clients it makes one token for all. */
  static async start(clients: readonly ClientId[] = clientIds): Promise<HttpArena> {
    const arena = new HttpArena(await surround(), await freePort());
    await arena.restart(clients);
    return arena;
  }

  /** Ends the server if it runs, and starts it on the same port, for these clients. */
  async restart(clients: readonly ClientId[]): Promise<void> {
    await this.end();
    const { places, port } = this;
    const byId = clients.map((id) => [id, { tokenHash: hashOf(this.tokens[id]), ...rights[id] }]);
    const surroundings = configOf(places) as { policy: object; security: object };
    const config = {
      ...surroundings,
      policy: {
        ...surroundings.policy,
        defaultAllowedTools: ['mcp__fixture__*', 'mcp__flood__*', 'mcp__other__*'],
      },
      // The attacks are many, and in a hurry.
      security: { ...surroundings.security, rateLimit: { enabled: false } },
      http: { port, ...(byId.length > 0 && { clients: Object.fromEntries(byId) as object }) },
    };
    await writeFile(join(places.home, '.code-executor.json'), JSON.stringify(config), { mode: 0o600 });
    const child = spawn(process.execPath, [bin, '--http'], {
      cwd: places.home,
      env: environmentOf(places, 'auto'),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    let started = '';
    child.stderr.on('data', (chunk: Buffer) => {
      started += chunk.toString();
      this.hear('log', chunk.toString());
    });
    await until(() => started.includes('listening on') || child.exitCode !== null);
    if (child.exitCode !== null) throw new Error(`The server did not start: ${started}`);
  }

  /** A call is answered. */
  async checkWorks(): Promise<void> {
    const { status, text } = await this.call('mcp__fixture__echo', { answer: 42 });
    assert.deepEqual([status, text], [200, '{"result":{"answer":42}}']);
  }

  override get secrets(): readonly string[] {
    return [...super.secrets, ...Object.values(this.tokens)];
  }

  /** Ends the server as an operator does; resolves when it has. */
  async end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'close');
    child.kill();
    await ended;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Where the server writes the token that it made. */
  get tokenFile(): string {
    return join(this.places.home, '.code-executor', 'http-token');
  }

  /** Asks as programs do. */
  async ask(path: string, token: string, init: RequestInit = {}): Promise<Answer> {
    const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      signal: AbortSignal.timeout(patienceMs),
      ...init,
      headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
    });
    const { status, headers } = answer;
    const text = await answer.text();
    this.hear('answers', `${JSON.stringify([...headers])}\n${text}\n`);
    return { status, text, headers };
  }

  /** Sends a body to `POST /`. */
  post(body: string | Uint8Array<ArrayBuffer>, client: ClientId = 'constructor'): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return this.ask('/', this.tokens[client], { method: 'POST', body, headers });
  }

  /** Calls a tool. */
  call(toolName: unknown, params: object = {}, client?: ClientId): Promise<Answer> {
    return this.post(JSON.stringify({ toolName, params }), client);
  }

  /** Connects; what arrives is kept, and the connection is cut when nobody says anything for long. */
  connect(): { socket: Socket; heard: () => string; closed: Promise<void> } {
    const socket = connect(this.port, '127.0.0.1');
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
    // The server resets connections on which we write on.
    socket.on('error', () => undefined);
    socket.setTimeout(patienceMs, () => socket.destroy());
    const closed = new Promise<void>((resolve) => {
      socket.once('close', () => {
        this.hear('answers', heard);
        resolve();
      });
    });
    return { socket, heard: () => heard, closed };
  }

  /** Sends bytes that no HTTP client would; resolves with all that comes until the server hangs up. */
  async exchange(bytes: string): Promise<string> {
    const { socket, heard, closed } = this.connect();
    socket.write(bytes, 'latin1');
    await closed;
    return heard();
  }
}
