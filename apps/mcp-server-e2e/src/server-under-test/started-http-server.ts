import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { bin } from './bin.js';
import { createHome, environmentOf, putInto, removeHome } from './home.js';
import { until } from './until.js';

/** A response of the server. */
export interface Answer {
  status: number;
  retryAfter: string | null;
  body: unknown;
}

/** How the start of the server differs from the usual one. */
interface HttpStart {
  /** Arguments besides `--http`. */
  args?: readonly string[];
  /** An existing home. Default: a new one. */
  home?: string;
  /** Goes before the command, to run it somewhere else. */
  enter?: readonly string[];
}

/** The built server, started with `--http` in its own home. */
export class StartedHttpServer {
  private constructor(
    readonly home: string,
    /** The URL that it reports. */
    readonly url: string,
    /** Its output so far. */
    readonly stdout: () => string,
    readonly stderr: () => string,
    /** Sends it a signal. */
    readonly signal: (name: NodeJS.Signals) => void,
    /** Its exit code, once it has ended. */
    readonly ended: Promise<number | null>,
  ) {}

  /** Starts it with these files in its home; rejects with its stderr if it does not listen. */
  static async start(
    files: Record<string, string>,
    env: Record<string, string> = {},
    start: HttpStart = {},
  ): Promise<StartedHttpServer> {
    const home = start.home ?? (await createHome());
    await putInto(home, files);
    const [command, ...args] = [...(start.enter ?? []), process.execPath, bin, '--http'];
    const child = spawn(command, [...args, ...(start.args ?? [])], {
      cwd: home,
      env: environmentOf(home, env),
    });
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()));
    const ended = once(child, 'close').then(([code]) => code as number | null);
    const url = () => /listening on (http:\/\/[^,]+),/.exec(said.stderr)?.[1];
    await until(() => url() !== undefined || child.exitCode !== null);
    const server = new StartedHttpServer(
      home,
      url() ?? '',
      () => said.stdout,
      () => said.stderr,
      (name) => child.kill(name),
      ended,
    );
    if (server.url !== '') return server;
    await server.close();
    throw new Error(said.stderr);
  }

  async close(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended;
    await removeHome(this.home);
  }

  /** The file with the token that the server generates. */
  get tokenFile(): string {
    return join(this.home, '.code-executor', 'http-token');
  }

  /** The token that the server generated. */
  async token(): Promise<string> {
    return (await readFile(this.tokenFile, 'utf8')).trim();
  }

  /** Calls a tool, with a token if one is given. */
  call(token: string | undefined, toolName: string, params: object = {}): Promise<Answer> {
    return this.ask('/', token, { method: 'POST', body: JSON.stringify({ toolName, params }) });
  }

  /** Lists tools, with a query such as `?limit=1`. */
  list(token: string | undefined, query = ''): Promise<Answer> {
    return this.ask(`/mcp/tools${query}`, token);
  }

  async ask(path: string, token: string | undefined, init: RequestInit = {}): Promise<Answer> {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      ...(init.headers as Record<string, string>),
    };
    const answer = await fetch(this.url + path, { ...init, headers });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    const body: unknown = isJson ? JSON.parse(text) : text;
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body };
  }
}

/** The hash of a token, as in a configuration. */
export function tokenHash(token: string): string {
  return `sha256:${createHash('sha256').update(token).digest('hex')}`;
}
