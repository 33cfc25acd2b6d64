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
import { configOf, environmentOf, type Surroundings, createSurroundings } from './surroundings.js';

/** The settings of the clients by their ids; each has its own token. */
const clientSettings = {
  alice: { policy: { allow: ['mcp__fixture__echo'] } },
  bob: { policy: { allow: ['mcp__fixture__pay'] } },
  // Asks for everything; the server's own policy must still limit it.
  greedy: { policy: { allow: ['*', 'mcp__fixture__pay'], deny: ['mcp__fixture__pay'] } },
  powerless: { policy: { allow: [] } },
  narrow: { policy: { deny: ['mcp__other__*'] } },
  // Has the default rate limit, which is switched off for the other clients.
  hasty: { rateLimit: { enabled: true } },
  // Has what the default policy allows.
  constructor: {},
};
export type ClientId = keyof typeof clientSettings;
export const clientIds = Object.keys(clientSettings) as ClientId[];

/** A response of the server. */
export interface Answer {
  status: number;
  text: string;
  headers: Headers;
}

const hashOf = (token: string) => `sha256:${createHash('sha256').update(token).digest('hex')}`;
/** How long to wait for an answer before the connection is closed. */
const answerTimeoutMs = 20_000;

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

  /** Starts the server; without clients it generates one token. */
  static async start(clients: readonly ClientId[] = clientIds): Promise<HttpArena> {
    const arena = new HttpArena(await createSurroundings(), await freePort());
    await arena.restart(clients);
    return arena;
  }

  /** Stops the server if it runs, and starts it on the same port for these clients. */
  async restart(clients: readonly ClientId[]): Promise<void> {
    await this.end();
    const { places, port } = this;
    const byId = clients.map((id) => [id, { tokenHash: hashOf(this.tokens[id]), ...clientSettings[id] }]);
    const surroundings = configOf(places) as { policy: object; security: object };
    const config = {
      ...surroundings,
      policy: {
        ...surroundings.policy,
        defaultAllowedTools: ['mcp__fixture__*', 'mcp__flood__*', 'mcp__other__*'],
      },
      // The attacks send many requests quickly.
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
      this.addOutput('log', chunk.toString());
    });
    await until(() => started.includes('listening on') || child.exitCode !== null);
    if (child.exitCode !== null) throw new Error(`The server did not start: ${started}`);
  }

  /** Checks that a call is answered. */
  async checkWorks(): Promise<void> {
    const { status, text } = await this.call('mcp__fixture__echo', { answer: 42 });
    assert.deepEqual([status, text], [200, '{"result":{"answer":42}}']);
  }

  override get secrets(): readonly string[] {
    return [...super.secrets, ...Object.values(this.tokens)];
  }

  /** Stops the server as an operator does; resolves when its process has ended. */
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

  /** The file to which the server writes the token that it generated. */
  get tokenFile(): string {
    return join(this.places.home, '.code-executor', 'http-token');
  }

  /** Sends a request like an ordinary client. */
  async ask(path: string, token: string, init: RequestInit = {}): Promise<Answer> {
    const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      signal: AbortSignal.timeout(answerTimeoutMs),
      ...init,
      headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
    });
    const { status, headers } = answer;
    const text = await answer.text();
    this.addOutput('answers', `${JSON.stringify([...headers])}\n${text}\n`);
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

  /** Opens a connection and collects what arrives; it is closed if it is idle for too long. */
  connect(): { socket: Socket; heard: () => string; closed: Promise<void> } {
    const socket = connect(this.port, '127.0.0.1');
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
    // The server resets connections that we continue to write to.
    socket.on('error', () => undefined);
    socket.setTimeout(answerTimeoutMs, () => socket.destroy());
    const closed = new Promise<void>((resolve) => {
      socket.once('close', () => {
        this.addOutput('answers', heard);
        resolve();
      });
    });
    return { socket, heard: () => heard, closed };
  }

  /** Sends bytes that no HTTP client would; resolves with everything received until the server closes the connection. */
  async exchange(bytes: string): Promise<string> {
    const { socket, heard, closed } = this.connect();
    socket.write(bytes, 'latin1');
    await closed;
    return heard();
  }
}
